using NativeThreading.Diagnostics;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>Asking for a worker, one request at a time, and noticing requests that nobody honours.</summary>
public sealed partial class NativeThreadPool
{
    internal static TimeSpan RequestExpiry => StarvationTuning.RequestExpiry;

    private long _repairs;
    private Worker? _lastToLook;

    /// <summary>
    /// Makes the one request, if <paramref name="word"/>, read after a full fence, says that one is needed. Where nobody
    /// can be had to run the item, the monitor is told that it waits.
    /// </summary>
    internal void Request(ulong word)
    {
        while (!IsAskedAlready(word))
        {
            Chaos.Point("NativeThreadPool.Request, nobody asked");
            if ((word & WorkerSignal.MayGetRunner) == 0)
            {
                BeginMonitoring();
                return;
            }

            RequestOutcome outcome = Signal.Request();
            Chaos.Point("NativeThreadPool.Request, requested");
            if (outcome == RequestOutcome.StartThread)
            {
                StartRequestedWorker();
            }

            if (outcome != RequestOutcome.NotNeeded)
            {
                return;
            }

            // Who could be had has gone since the word was read: a worker that has left a region is one too many now,
            // and may wait for this very item next. So what to do, and whether to have it watched, is decided anew.
            word = Signal.Word;
        }
    }

    /// <summary>Whether somebody will look without being asked by the caller.</summary>
    private bool IsAskedAlready(ulong word)
    {
        if ((word & WorkerSignal.Requested) != 0)
        {
            WatchIfLate(word);
            return true;
        }

        return (word & WorkerSignal.Lingering) != 0 || (Mechanisms.LookersCount && IsOneOnItsWay(word));
    }

    /// <summary>
    /// Whether a worker is between two items, or before its first. It looks at all queues yet, and asks for the next one
    /// itself if there is more than it takes. A wake costs more than to look at one worker, a start more than at all.
    /// </summary>
    private bool IsOneOnItsWay(ulong word)
    {
        if (Volatile.Read(ref _lastToLook) is { IsLooking: true })
        {
            return true;
        }

        Chaos.Point("NativeThreadPool.IsOneOnItsWay, the last one is not");
        if ((word & WorkerSignal.IdleMask) == 0)
        {
            foreach (Worker worker in Roster.Workers)
            {
                if (worker.IsLooking)
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>Who began to look last. Written when that changes only: it shares its line with nothing hot.</summary>
    internal void BeginsToLook(Worker worker)
    {
        if (Volatile.Read(ref _lastToLook) != worker)
        {
            Volatile.Write(ref _lastToLook, worker);
        }
    }

    /// <summary>
    /// Whoever meets a request that is late has the monitor watch it. A signal that was lost would otherwise suppress
    /// all later ones for ever (T5). Late alone proves nothing: the whole process may have been stopped meanwhile.
    /// </summary>
    internal void WatchIfLate(ulong word)
    {
        if ((word & WorkerSignal.Requested) != 0 && WorkerSignal.Age(word) > StarvationTuning.LateRequest)
        {
            BeginMonitoring();
        }
    }

    /// <summary>
    /// The watchdog has seen that nobody comes, with this word all the while: whatever request stands is taken back, and
    /// a new one is made and counted.
    /// </summary>
    internal void Repair(ulong word, TimeSpan age)
    {
        if ((word & WorkerSignal.Requested) == 0 || Signal.TryWithdrawRequest(word))
        {
            Interlocked.Increment(ref _repairs);
            NativeThreadingEventSource.Log.LostRequestRepaired(Name, (long)age.TotalMilliseconds);
            Request(Signal.Word);
        }
    }

    /// <summary>
    /// After GROWABLE has been set: whoever publishes from now on asks for a thread; what was published before is seen
    /// here. The barrier is for workers that pushed and read the word without a fence (T16).
    /// </summary>
    private void RequestForPending()
    {
        Chaos.Point("NativeThreadPool.RequestForPending");
        Interlocked.MemoryBarrierProcessWide();
        if (PendingWorkItemCount != 0)
        {
            Request(Signal.Word);
        }
    }

    /// <summary>
    /// Nobody comes: the request is over. While it stood others asked for nobody, so what they published is looked for
    /// here, and a worker that has parked meanwhile is woken. Likewise the pool was not done draining while it stood, and a
    /// stop woke nobody.
    /// </summary>
    private void EndRefusedRequest()
    {
        Signal.Acknowledge();
        Chaos.Point("NativeThreadPool.EndRefusedRequest, acknowledged");
        if (IsStopped)
        {
            PassStopOn();
        }
        else if (PendingWorkItemCount != 0)
        {
            Request(Signal.Word);
        }
        else if (IsDraining)
        {
            TryFinishDraining();
        }
    }
}
