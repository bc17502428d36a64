using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>Passes the calls of workers on to the parts of the pool that answer them.</summary>
internal sealed class CallsOfWorkers(NativeThreadPool pool, Departures departures, PoolLifecycle lifecycle) : PoolCalls
{
    /// <summary>From an item, too, as the next two are.</summary>
    public override void Request(ulong word)
    {
        try
        {
            pool.Requests.Request(word);
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
    }

    public override void MonitorIfLate(ulong word) => pool.Requests.MonitorIfLate(word);

    public override void Blocked(Worker worker)
    {
        try
        {
            pool.Roster.Blocked(worker);
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
    }

    public override void RunsAgain(Worker worker)
    {
        try
        {
            pool.Roster.RunsAgain(worker);
        }
        catch (Exception exception) when (ThreadAbort.EndsProcess(exception))
        {
            // Never reached.
        }
    }

    public override bool TryEnterReserve(Worker worker) => departures.TryEnterReserve(worker);

    public override bool WaitInReserve(Worker worker, long since) => departures.WaitInReserve(worker, since);

    public override bool TryRetire(Worker worker, long idleSince) => departures.TryRetire(worker, idleSince);

    public override void TryFinishDraining() => lifecycle.TryFinishDraining();

    public override void StartThread(ThreadStart main, string name) => pool.StartThread(main, name);

    public override void ApplyPriority() => pool.ApplyPriority();

    public override bool Handles(Exception exception) => pool.Handles(exception);

    public override void WorkerEnded(Worker worker, bool abnormally) => departures.WorkerEnded(worker, abnormally);
}
