using NativeThreading.SoakProgram.Watch;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>Where tracks stop between rounds: for a rest of all of them, or for good.</summary>
internal sealed class RestGate
{
    private readonly Lock _lock = new();
    private ManualResetEventSlim? _rest;
    private int _resting;
    private bool _isOver;

    /// <summary>Tracks that wait here.</summary>
    public int Resting => Volatile.Read(ref _resting);

    /// <summary>Whether tracks are to come here soon.</summary>
    public bool IsClosed => Volatile.Read(ref _isOver) || Volatile.Read(ref _rest) is not null;

    /// <summary>The tracks are to stop here from now on.</summary>
    public void Close() => Volatile.Write(ref _rest, new ManualResetEventSlim());

    /// <summary>They continue.</summary>
    public void Open()
    {
        lock (_lock)
        {
            ManualResetEventSlim rest = _rest!;
            Volatile.Write(ref _rest, null);
            rest.Set();
        }
    }

    /// <summary>They end.</summary>
    public void End() => Volatile.Write(ref _isOver, true);

    /// <summary>Called by a track between two rounds.</summary>
    /// <returns><see langword="false"/>: it is to end.</returns>
    public bool Pass(PhaseWatch phase)
    {
        if (!Volatile.Read(ref _isOver) && Volatile.Read(ref _rest) is { } rest)
        {
            phase.Leave(); // a rest has no deadline of its own: its caller has one
            Interlocked.Increment(ref _resting);
            rest.Wait();
            Interlocked.Decrement(ref _resting);
        }

        return !Volatile.Read(ref _isOver);
    }
}
