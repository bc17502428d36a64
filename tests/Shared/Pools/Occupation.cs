namespace NativeThreading.Tests.Support;

/// <summary>Occupies threads with callbacks that wait, until disposed.</summary>
internal abstract class Occupation : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly CountdownEvent _left;
    private readonly Thread[] _threads;
    private int _started;

    /// <summary>Returns when each of <paramref name="count"/> callbacks occupies a thread.</summary>
    protected Occupation(int count, Action<Action<object?>> queue)
    {
        using var entered = new CountdownEvent(count);
        _left = new CountdownEvent(count);
        _threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            queue(_ =>
            {
                _threads[Interlocked.Increment(ref _started) - 1] = Thread.CurrentThread;
                entered.Signal();
                _release.Wait(Deadline.Time);
                _left.Signal();
            });
        }

        Deadline.Wait(entered);
    }

    /// <summary>
    /// Waits until all of them sleep. A callback spins before, and on a machine without a free processor that may take many looks of a monitor.
    /// </summary>
    public void AwaitSleep() => Deadline.Until(
        () => Array.TrueForAll(_threads, static thread => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin)), "all callbacks sleep");

    /// <summary>Lets them go.</summary>
    public void Release() => _release.Set();

    /// <summary>Lets them go and waits until they have.</summary>
    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_left);
        _left.Dispose();
        _release.Dispose();
    }
}
