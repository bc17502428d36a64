using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a look at the queues found.</summary>
internal enum Finding
{
    Nothing,
    Lone,
    Work,
}

/// <summary>One worker's looks at the queues of others, and what it remembers of them. As QueueScan.</summary>
internal sealed class SimulatedScan(SimulatedWorker worker)
{
    private const long LoneItemAge = 2_000;

    private readonly Seen[] _seen = new Seen[Agent.Most];

    public bool MayOthersHold(int announced) => worker.Pool.Signal.IdleCount - announced < worker.Pool.Workers.Length - 1;

    /// <summary>Whether any queue holds an item.</summary>
    public bool SeesAny()
    {
        if (worker.Queues.Pending != 0 || worker.Pool.LooksNonEmpty(worker))
        {
            return true;
        }

        if (!MayOthersHold(announced: 0))
        {
            return false;
        }

        foreach (SimulatedWorker other in worker.Pool.Workers)
        {
            worker.Count(Counted.PassLook);
            other.Queues.ReadEnds(worker);
            if (other.Queues.Pending != 0)
            {
                return true;
            }
        }

        return false;
    }

    public Finding LookAt(SimulatedWorker other)
    {
        worker.Count(Counted.WorkerLook);
        other.Queues.ReadEnds(worker);
        int pending = other.Queues.Pending;
        if (pending > 1)
        {
            return Finding.Work;
        }

        ref Seen seen = ref _seen[other.Index];
        if (pending == 0)
        {
            seen.StillSince = 0;
            return Finding.Nothing;
        }

        other.CompletedLine.Read(worker);
        if (seen.StillSince == 0 || seen.Completed != other.Completed)
        {
            (seen.Completed, seen.StillSince) = (other.Completed, worker.Now);
        }

        return worker.Now - seen.StillSince >= LoneItemAge ? Finding.Work : Finding.Lone;
    }

    private struct Seen
    {
        public long StillSince;
        public long Completed;
    }
}
