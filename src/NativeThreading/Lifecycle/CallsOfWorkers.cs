using NativeThreading.Workers;

namespace NativeThreading.Lifecycle;

/// <summary>Passes the calls of workers on to the parts of the pool that answer them.</summary>
internal sealed class CallsOfWorkers(NativeThreadPool pool, Departures departures, PoolLifecycle lifecycle) : PoolCalls
{
    public override void Request(ulong word) => pool.Requests.Request(word);

    public override void MonitorIfLate(ulong word) => pool.Requests.MonitorIfLate(word);

    public override void Blocked(Worker worker) => pool.Roster.Blocked(worker);

    public override void RunsAgain(Worker worker) => pool.Roster.RunsAgain(worker);

    public override bool TryEnterReserve() => departures.TryEnterReserve();

    public override bool WaitInReserve(Worker worker, long since) => departures.WaitInReserve(worker, since);

    public override bool TryRetire(Worker worker, long idleSince) => departures.TryRetire(worker, idleSince);

    public override void TryFinishDraining() => lifecycle.TryFinishDraining();

    public override void ApplyPriority() => pool.ApplyPriority();

    public override bool Handles(Exception exception) => pool.Handles(exception);

    public override void WorkerEnded(Worker worker, bool abnormally) => departures.WorkerEnded(worker, abnormally);
}
