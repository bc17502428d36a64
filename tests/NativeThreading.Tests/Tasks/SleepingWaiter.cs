using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>An item of a pool that waits for a group, and sleeps there because it has found nothing to run.</summary>
internal sealed class SleepingWaiter : IDisposable
{
    private readonly Observation<bool> _wait;
    private Thread? _thread;

    /// <summary>Returns when it sleeps.</summary>
    /// <param name="pool">Whose worker waits.</param>
    /// <param name="wait">The wait.</param>
    public SleepingWaiter(NativeThreadPool pool, Func<bool> wait)
    {
        int marked = pool.Probe.MarkedWorkers;
        _wait = new Observation<bool>(() =>
        {
            Volatile.Write(ref _thread, Thread.CurrentThread);
            return wait();
        });
        pool.UnsafeQueueUserWorkItem(_wait.Observe, null);
        Deadline.Until(() => pool.Probe.MarkedWorkers > marked && IsAsleep, "the waiter sleeps");
    }

    public SleepingWaiter(NativeThreadPool pool, WorkGroup group)
        : this(pool, () => group.Wait(Deadline.Time / 2))
    {
    }

    public Thread Thread => Volatile.Read(ref _thread)!;

    /// <summary>What the wait has returned, or thrown.</summary>
    public bool Result => _wait.Result;

    /// <summary>It waits in the kernel: it neither looks for items nor polls for the end.</summary>
    private bool IsAsleep => Volatile.Read(ref _thread) is { } thread && thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin);

    public void Dispose() => _wait.Dispose();
}
