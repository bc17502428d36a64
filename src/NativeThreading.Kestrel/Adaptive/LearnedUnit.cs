using System.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// What is known of an endpoint, or of all code outside of endpoints: whether it may run on loops. Used from any thread. Calls that are
/// proven are counted without a lock, so a few get lost where several loops count at once.
/// </summary>
/// <param name="name">For the log.</param>
/// <param name="returned">Called when it was sent back to the pool.</param>
/// <param name="beginsOnLoops">Where it begins.</param>
/// <param name="leastProof">The number of short pieces in a row that no unit of the application may run on loops without;
/// <see langword="null"/> for <see cref="Learning.ProofOfShort"/>.</param>
internal sealed class LearnedUnit(
    string name, Action<LearnedUnit, Verdict>? returned, bool beginsOnLoops = Learning.BeginsOnLoops, Func<int>? leastProof = null)
{
    private readonly Lock _lock = new();
    private readonly long[] _longCalls = new long[Learning.LongCalls]; // numbers of the last ones
    private int _longCount, _shortInRow, _proof = Learning.ProofOfShort;
    private long _returned; // when, in milliseconds; 0: never
    private long _calls, _watchUntil = beginsOnLoops ? Learning.ProofOfShort + Learning.Window : 0;
    private readonly Trend _inPlace = new(Learning.ProofOfElsewhere);
    private bool _isOnLoops = beginsOnLoops, _awaits;

    public string Name => name;

    /// <summary>Runs where its connection does whatever it does. Nothing is learned of it.</summary>
    public bool IsFixed { get; init; }

    /// <summary>Whether it may run on loops.</summary>
    public bool RunsOnLoops => Volatile.Read(ref _isOnLoops) || IsFixed;

    /// <summary>Whether it goes on where its awaits complete, on the runtime's pool, and does not come back to the loop.</summary>
    public bool GoesOnInPlace => _inPlace.Holds && !IsFixed;

    /// <summary>Whether the next call is to be watched. Not on the pool, where each one is.</summary>
    public bool IsWatched => (IsSuspicious || (_awaits && _calls % Learning.AwaitingCallsPerLook == 0)) && !IsFixed;

    /// <summary>
    /// The same for a call that begins on the runtime's pool. What is long by the clock there has mostly lacked a processor, and holds up no
    /// loop: of code that awaits some calls are watched for it, and not each one.
    /// </summary>
    public bool IsWatchedOffLoops => !IsFixed && (IsSuspicious
        ? !_awaits || _calls % Learning.AwaitingCallsPerLook == 0
        : _awaits && _calls % Learning.AwaitingCallsPerLookOffLoops == 0);

    /// <summary>Whether a piece that is watched is to be watched closely: on the pool, to prove it, and where something took long lately.</summary>
    public bool IsWatchedClosely => !RunsOnLoops || IsSuspicious;

    private bool IsSuspicious => _calls < Volatile.Read(ref _watchUntil);

    /// <summary>An await of a call that is watched has completed.</summary>
    /// <param name="isAlone">On the runtime's pool, which had hardly more to do.</param>
    public void Resumes(bool isAlone) => _inPlace.Add(isAlone);

    /// <summary>A call that was not watched has returned.</summary>
    /// <param name="isComplete">Whether nothing of it is left.</param>
    public void Called(bool isComplete)
    {
        _calls++;
        if (!isComplete && !_awaits)
        {
            _awaits = true;
        }
    }

    /// <summary>A call that was not watched took long on the clock, maybe because its thread had no processor: the next ones are watched.</summary>
    public void SeemedLong() => Volatile.Write(ref _watchUntil, _calls + Learning.Window);

    /// <summary>The same of a call on the runtime's pool.</summary>
    public void SeemedLongOffLoops()
    {
        if (!_awaits)
        {
            SeemedLong(); // else some of its calls are watched anyway
        }
    }

    /// <summary>What a piece has done that was watched, or that was long, or that has lost its loop.</summary>
    /// <param name="verdict">What it has done.</param>
    /// <param name="held">For how long it has held its thread.</param>
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
            returns = _isOnLoops && IsToReturn(verdict);
            if (!_isOnLoops && IsProven(verdict, held))
            {
                Begin(onLoops: true);
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

    /// <summary>Sends it to the pool, if it is not there.</summary>
    /// <param name="verdict">Why.</param>
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
            Begin(onLoops: false);
        }

        returned?.Invoke(this, verdict);
    }

    public override string ToString() => $"{name}: {(RunsOnLoops ? "on loops" : $"on the pool, {_shortInRow} of {_proof}")}";

    private void Begin(bool onLoops)
    {
        (_longCount, _shortInRow) = (0, 0);
        _inPlace.Forget();
        Volatile.Write(ref _isOnLoops, onLoops);
    }

    private bool IsProven(Verdict verdict, long held)
    {
        if (held >= Learning.VeryLong && verdict is Verdict.Computes or Verdict.Waits && _shortInRow > 0)
        {
            _proof = Math.Max(_proof, Learning.ProofAfterReturn); // it is short at times: thirty such calls would say nothing
        }

        _shortInRow = verdict switch
        {
            Verdict.Short => _shortInRow + 1,
            Verdict.Unknown or Verdict.Long => _shortInRow,
            _ => 0,
        };
        return _shortInRow >= _proof && (leastProof is null || _shortInRow >= leastProof());
    }

    private bool IsToReturn(Verdict verdict)
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
