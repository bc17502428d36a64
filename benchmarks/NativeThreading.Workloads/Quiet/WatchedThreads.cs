using System.Diagnostics;

namespace NativeThreading.Workloads.Quiet;

/// <summary>The threads of a pool or loop, found by name, and what they did between two looks.</summary>
internal sealed class WatchedThreads(params string[] prefixes)
{
    private static readonly TimeSpan s_settleAtMost = TimeSpan.FromSeconds(8);

    private IReadOnlyList<TaskThread> _before = [];

    public IEnumerable<int> Ids => _before.Select(t => t.Id);

    /// <summary>Looks at them until none has run for <paramref name="quiet"/>, or for 8 s. What never gets there is watched all the same, and
    /// shows.</summary>
    /// <returns>Whether all of them were quiet.</returns>
    public static bool Settle(TimeSpan quiet, params WatchedThreads[] all)
    {
        long began = Stopwatch.GetTimestamp();
        do
        {
            Array.ForEach(all, static threads => threads.Look());
            Thread.Sleep(quiet);
            if (Array.TrueForAll(all, static threads => threads.Since().Value == 0))
            {
                return true;
            }
        }
        while (Stopwatch.GetElapsedTime(began) < s_settleAtMost);
        Array.ForEach(all, static threads => threads.Look());
        return false;
    }

    public void Look()
    {
        _before = TaskThread.WithName(prefixes);
        if (_before.Count == 0)
        {
            throw new MeasurementException($"no thread is named {string.Join("* or ", prefixes)}*.");
        }
    }

    /// <summary>What the threads of the last look did since; one that ended counts as having run once.</summary>
    public Sample Since()
    {
        Dictionary<int, TaskThread> now = TaskThread.WithName(prefixes).ToDictionary(t => t.Id);
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
