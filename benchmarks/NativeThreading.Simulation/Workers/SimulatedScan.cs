using NativeThreading.Tuning;

namespace NativeThreading.Simulation;

/// <summary>What a look at the queues found.</summary>
internal enum Finding
{
    Nothing,
    Lone,
    Burst,
    Work,
}

/// <summary>One worker's looks at the queues of others, and what it remembers of them. As QueueScan.</summary>
internal sealed class SimulatedScan(SimulatedWorker worker)
{
    private const long LoneItemAge = 2_000;
    private const long BurstAge = 8_000;

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
        if (pending > WorkerTuning.MostOfABurst)
        {
            return Finding.Work;
        }

        ref Seen seen = ref _seen[other.Index];
        if (pending == 0)
        {
            seen.BurstSince = seen.StillSince = 0;
            return Finding.Nothing;
        }

        other.CompletedLine.Read(worker);
        if (seen.StillSince == 0 || seen.Completed != other.Completed)
        {
            (seen.Completed, seen.StillSince) = (other.Completed, worker.Now);
        }

        bool still = worker.Now - seen.StillSince >= LoneItemAge;
        if (pending == 1)
        {
            seen.BurstSince = 0;
            return still ? Finding.Work : Finding.Lone;
        }

        seen.BurstSince = seen.BurstSince != 0 ? seen.BurstSince : worker.Now;
        return still || worker.Now - seen.BurstSince >= BurstAge ? Finding.Work : Finding.Burst;
    }

    private struct Seen
    {
        public long BurstSince;
        public long StillSince;
        public long Completed;
    }
}
