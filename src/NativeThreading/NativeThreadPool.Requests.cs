using NativeThreading.Diagnostics;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Asking for a worker, one request at a time, and the watchdog over requests.</summary>
public sealed partial class NativeThreadPool
{
    /// <summary>
    /// After this time a request that nobody has honoured counts as lost. Long, because a thread that is merely late on
    /// a loaded machine must not count, and short enough that a stalled service recovers before people notice.
    /// </summary>
    internal static readonly TimeSpan RequestExpiry = TimeSpan.FromSeconds(1);

    private long _repairs;

    /// <summary>Makes the one request, if <paramref name="word"/>, read after a full fence, says that one is needed.</summary>
    internal void Request(ulong word)
    {
        if ((word & WorkerSignal.Requested) != 0)
        {
            RepairIfExpired(word);
        }
        else if ((word & WorkerSignal.Lingering) == 0
            && !IsOneOnItsWay(word)
            && Signal.Request() == RequestOutcome.StartThread)
        {
            StartRequestedWorker();
        }
    }

    /// <summary>
    /// Whether a request could only start a thread while the last one started is still on the way to its first item. It
    /// looks at all queues yet, and asks for the next one itself if there is more than it takes.
    /// </summary>
    private bool IsOneOnItsWay(ulong word) =>
        (word & WorkerSignal.IdleMask) == 0 && Volatile.Read(ref _newest) is { IsStarting: true };

    /// <summary>
    /// The watchdog: whoever meets a request that is too old takes it back and makes a new one. A signal that was lost
    /// would otherwise suppress all later ones for ever (T5).
    /// </summary>
    internal void RepairIfExpired(ulong word)
    {
        if ((word & WorkerSignal.Requested) == 0)
        {
            return;
        }

        uint age = WorkerSignal.Now - WorkerSignal.Stamp(word);
        if (age > RequestExpiry.TotalMilliseconds && age < int.MaxValue && Signal.TryWithdrawRequest(word))
        {
            Interlocked.Increment(ref _repairs);
            NativeThreadingEventSource.Log.LostRequestRepaired(Name, age);
            Request(Signal.Word);
        }
    }

    /// <summary>
    /// After GROWABLE has been set: whoever publishes from now on asks for a thread; what was published before is seen
    /// here. The barrier is for workers that pushed and read the word without a fence (T16).
    /// </summary>
    private void RequestForPending()
    {
        Interlocked.MemoryBarrierProcessWide();
        if (PendingWorkItemCount != 0)
        {
            Request(Signal.Word);
        }
    }

    /// <summary>
    /// Nobody comes: the request is over. While it stood others asked for nobody, so what they published is looked for
    /// here, and a worker that has parked meanwhile is woken.
    /// </summary>
    private void EndRefusedRequest()
    {
        Signal.Acknowledge();
        if (!IsStopped && PendingWorkItemCount != 0)
        {
            Request(Signal.Word);
        }
    }
}
