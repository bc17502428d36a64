using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Quiet;

/// <summary>A pool's threads, found by name, and what they did between two looks.</summary>
internal sealed class WatchedPool(string prefix)
{
    private IReadOnlyList<TaskThread> _before = [];

    public IEnumerable<int> Ids => _before.Select(t => t.Id);

    /// <summary>Has all workers running at the same moment, so that every thread exists before the pool falls quiet.</summary>
    public static void Fill(Action<Action> queue, int workers, TimeSpan deadline)
    {
        var running = new CountdownEvent(workers);
        var release = new ManualResetEventSlim();
        for (int i = 0; i < workers; i++)
        {
            queue(() =>
            {
                running.Signal();
                release.Wait(deadline);
            });
        }

        bool filled = running.Wait(deadline);
        release.Set();
        if (!filled)
        {
            throw new MeasurementException($"{running.CurrentCount} of {workers} workers did not start within {deadline.TotalSeconds} s.");
        }
    }

    public void Look()
    {
        _before = TaskThread.WithName(prefix);
        if (_before.Count == 0)
        {
            throw new MeasurementException($"no thread is named {prefix}*.");
        }
    }

    /// <summary>What the threads of the last look did since; one that ended counts as having run once.</summary>
    public Sample Since()
    {
        Dictionary<int, TaskThread> now = TaskThread.WithName(prefix).ToDictionary(t => t.Id);
        double cpu = 0;
        long switches = 0;
        foreach (TaskThread before in _before)
        {
            bool alive = now.TryGetValue(before.Id, out TaskThread after);
            switches += alive ? after.Switches - before.Switches : 1;
            cpu += alive ? after.CpuNanoseconds - before.CpuNanoseconds : 0;
        }

        return new Sample(switches, cpu, switches);
    }
}
