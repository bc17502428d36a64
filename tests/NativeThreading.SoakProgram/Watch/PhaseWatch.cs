namespace NativeThreading.SoakProgram.Watch;

/// <summary>One thread's current phase. Entered and left by that thread, read by any.</summary>
internal sealed class PhaseWatch(string owner, SoakClock clock, PhaseTimes times)
{
    private Phase? _current;

    public string Owner { get; } = owner;

    public Phase? Current => Volatile.Read(ref _current);

    /// <summary>Ends the phase before, and begins another one.</summary>
    /// <param name="name">What times are collected under.</param>
    /// <param name="limit">How long it may last.</param>
    /// <param name="detail">For the report of a hang.</param>
    public void Enter(string name, TimeSpan limit, string? detail = null)
    {
        Leave();
        Volatile.Write(ref _current, new Phase(name, clock.Now, limit, detail));
    }

    public void Leave()
    {
        if (_current is { } phase)
        {
            times.Add(phase.Name, clock.Now - phase.Began);
            Volatile.Write(ref _current, null);
        }
    }
}

/// <summary>What a thread is at, since when, and for how long it may.</summary>
internal sealed record Phase(string Name, TimeSpan Began, TimeSpan Limit, string? Detail);
