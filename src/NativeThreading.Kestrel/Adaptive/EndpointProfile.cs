using System.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>What the transport has measured of one endpoint, or of all code outside of endpoints, and the resulting decision whether this code may
/// run on loops. Used from any thread. Calls of proven code are counted without a lock, so a few counts get lost if several loops count at
/// once.</summary>
/// <param name="name">The name for the log.</param>
/// <param name="returned">Called after the code was moved back to the pool.</param>
/// <param name="leastProof">The number of consecutive short segments without which no code of the application may run on loops;
/// <see langword="null"/> for <see cref="Learning.ProofOfShort"/>.</param>
internal sealed class EndpointProfile(string name, Action<EndpointProfile, Verdict>? returned, Func<int>? leastProof = null)
{
    private readonly Lock _lock = new();
    private readonly long[] _longCalls = new long[Learning.LongCalls]; // the numbers of the most recent ones
    private readonly SaturatingCounter _inPlace = new(Learning.ProofOfElsewhere);
    private int _longCount, _shortInRow, _proof = Learning.ProofOfShort;
    private long _returned; // the time of the last move to the pool, in milliseconds; 0: never
    private long _calls, _watchUntil;
    private bool _isOnLoops, _awaits;

    public string Name => name;

    /// <summary>The code always runs on the loop of its connection, and nothing is measured.</summary>
    public bool IsFixed { get; init; }

    /// <summary>Whether the code may run on loops.</summary>
    public bool RunsOnLoops => Volatile.Read(ref _isOnLoops) || IsFixed;

    /// <summary>Whether the code continues where its awaits complete, on the built-in pool, instead of returning to the loop.</summary>
    public bool ContinuesInPlace => _inPlace.Holds && !IsFixed;

    /// <summary>Whether to watch the next call. On the pool, every call is watched.</summary>
    public bool IsWatched => (IsSuspicious || (_awaits && _calls % Learning.AwaitingCallsPerLook == 0)) && !IsFixed;

    // On the built-in pool, a long call has mostly waited for a processor, and holds up no loop. So of suspicious code that awaits, only some calls are watched.
    public bool IsWatchedOffLoops => !IsFixed && (IsSuspicious
        ? !_awaits || _calls % Learning.AwaitingCallsPerLook == 0
        : _awaits && _calls % Learning.AwaitingCallsPerLookOffLoops == 0);

    /// <summary>Whether a watched segment is watched closely: on the pool, to prove it, and after a segment took long.</summary>
    public bool IsWatchedClosely => !RunsOnLoops || IsSuspicious;

    private bool IsSuspicious => _calls < Volatile.Read(ref _watchUntil);

    /// <summary>An await of a watched call has completed: alone if on the built-in pool, and that had hardly any other work.</summary>
    public void Resumes(bool isAlone) => _inPlace.Add(isAlone);

    /// <summary>A call that was not watched has returned, with a complete task or not.</summary>
    public void Called(bool isComplete)
    {
        _calls++;
        if (!isComplete && !_awaits)
        {
            _awaits = true;
        }
    }

    /// <summary>A call that was not watched took long by the clock, perhaps because its thread had no processor. The next calls are watched.</summary>
    public void SeemedLong() => Volatile.Write(ref _watchUntil, _calls + Learning.Window);

    /// <summary>The same for a call on the built-in pool. Of code that awaits, some calls are watched anyway.</summary>
    public void SeemedLongOffLoops()
    {
        if (!_awaits)
        {
            SeemedLong();
        }
    }

    /// <summary>Counts a segment that was watched, took long or lost its loop, and moves the code if that decides it.</summary>
    /// <param name="verdict">What the segment has done.</param>
    /// <param name="held">How long it has held its thread, in nanoseconds.</param>
    public void Judge(Verdict verdict, long held = 0)
    {
        if (IsFixed)
        {
            return;
        }

        if (verdict == Verdict.Long)
        {
            SeemedLong();
        }

        bool returns;
        lock (_lock)
        {
            returns = _isOnLoops && MustReturnLocked(verdict);
            if (!_isOnLoops && IsProvenLocked(verdict, held))
            {
                MoveLocked(toLoops: true);
            }
        }

        if (returns)
        {
            Return(verdict);
        }
        else if (held >= Learning.Short && verdict is Verdict.Computes or Verdict.Waits && RunsOnLoops && EventLoop.Current is { } loop)
        {
            LoopBudget.Of(loop).Charge(this, verdict, held, Stopwatch.GetTimestamp());
        }
    }

    /// <summary>Moves the code to the pool, unless it is there.</summary>
    public void Return(Verdict verdict)
    {
        lock (_lock)
        {
            if (!_isOnLoops)
            {
                return;
            }

            long now = Environment.TickCount64;
            bool isRemembered = _returned != 0 && now - _returned < Learning.Memory;
            _proof = isRemembered ? Math.Min(_proof * Learning.HarderProof, Learning.HardestProof) : Learning.ProofAfterReturn;
            _returned = now;
            MoveLocked(toLoops: false);
        }

        returned?.Invoke(this, verdict);
    }

    public override string ToString() => $"{name}: {(RunsOnLoops ? "on loops" : $"on the pool, {_shortInRow} of {_proof}")}";

    private void MoveLocked(bool toLoops)
    {
        (_longCount, _shortInRow) = (0, 0);
        _inPlace.Reset();
        Volatile.Write(ref _isOnLoops, toLoops);
    }

    private bool IsProvenLocked(Verdict verdict, long held)
    {
        if (held >= Learning.VeryLong && verdict is Verdict.Computes or Verdict.Waits && _shortInRow > 0)
        {
            _proof = Math.Max(_proof, Learning.ProofAfterReturn); // the code is short at times: 30 such calls prove nothing
        }

        _shortInRow = verdict switch
        {
            Verdict.Short => _shortInRow + 1,
            Verdict.Unknown or Verdict.Long => _shortInRow,
            _ => 0,
        };
        return _shortInRow >= _proof && (leastProof is null || _shortInRow >= leastProof());
    }

    private bool MustReturnLocked(Verdict verdict)
    {
        _calls++;
        if (verdict is Verdict.Short or Verdict.Unknown or Verdict.Long)
        {
            return false;
        }

        _longCalls[_longCount++ % Learning.LongCalls] = _calls;
        long oldest = _longCalls[_longCount % Learning.LongCalls];
        SeemedLong();
        return verdict is Verdict.Blocks or Verdict.HoldsUp || (_longCount >= Learning.LongCalls && _calls - oldest < Learning.Window);
    }
}
