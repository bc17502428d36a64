namespace NativeThreading.SoakProgram.Watch;

/// <summary>All phases that are under way, each with its deadline. Thread-safe.</summary>
internal sealed class Deadlines(SoakClock clock, PhaseTimes times)
{
    private readonly Lock _lock = new();
    private readonly List<PhaseWatch> _watches = [];

    /// <summary>A thread that goes from phase to phase.</summary>
    public PhaseWatch Watch(string owner)
    {
        var watch = new PhaseWatch(owner, clock, times);
        lock (_lock)
        {
            _watches.Add(watch);
        }

        return watch;
    }

    /// <summary>The phase that is longest beyond its deadline, in words; <see langword="null"/> if there is none.</summary>
    public string? FindOverdue()
    {
        TimeSpan now = clock.Now;
        lock (_lock)
        {
            return _watches.Select(static watch => (watch.Owner, Phase: watch.Current))
                .Where(w => w.Phase is { } phase && now - phase.Began > phase.Limit)
                .OrderByDescending(w => now - w.Phase!.Began - w.Phase.Limit)
                .Select(w => $"{w.Owner}: {w.Phase!.Name} has lasted {(now - w.Phase.Began).TotalSeconds:0.0} s; "
                    + $"its deadline is {w.Phase.Limit.TotalSeconds:0.#} s")
                .FirstOrDefault();
        }
    }

    /// <summary>What each thread does at this moment.</summary>
    public string[] Describe()
    {
        TimeSpan now = clock.Now;
        lock (_lock)
        {
            return [.. _watches.Select(watch => $"{watch.Owner}: " + (watch.Current is { } phase
                ? $"{phase.Name}, for {(now - phase.Began).TotalMilliseconds:0} ms{(phase.Detail is null ? "" : $" ({phase.Detail})")}"
                : "nothing"))];
        }
    }
}
