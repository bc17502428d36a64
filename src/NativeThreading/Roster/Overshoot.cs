namespace NativeThreading.Roster;

/// <summary>
/// Threads that may run beyond the pool's number for a moment, because they are expected to block like those before
/// them. The number is changed under the roster's lock, the time by the monitor.
/// </summary>
internal sealed class Overshoot
{
    private int _threads;
    private TimeSpan _left;

    public int Threads => Volatile.Read(ref _threads);

    public void Allow(int threads)
    {
        Volatile.Write(ref _threads, Math.Max(threads, 0));
        _left = StarvationTuning.Overshoot;
    }

    /// <summary>Counts time down; whether the allowance is over.</summary>
    public bool Ends(TimeSpan elapsed)
    {
        _left -= elapsed;
        return _threads != 0 && _left <= TimeSpan.Zero;
    }
}
