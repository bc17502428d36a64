namespace NativeThreading.Scheduling;

/// <summary>How many threads may run beyond <c>MaxThreads</c> for a moment, because they are expected to block as well. The number
/// changes under the roster's lock; the monitor counts the time.</summary>
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

    /// <summary>Counts the time down. Whether the allowance ends now.</summary>
    public bool Ends(TimeSpan elapsed)
    {
        _left -= elapsed;
        return _threads != 0 && _left <= TimeSpan.Zero;
    }
}
