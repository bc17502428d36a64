namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// What is known of an endpoint, or of all code outside of endpoints: whether it may run on loops. Used from any thread. Calls that are
/// proven are counted without a lock, so a few get lost where several loops count at once.
/// </summary>
/// <param name="name">For the log.</param>
/// <param name="returned">Called when it was sent back to the pool.</param>
/// <param name="beginsOnLoops">Where it begins.</param>
internal sealed class LearnedUnit(string name, Action<LearnedUnit, Verdict>? returned, bool beginsOnLoops = Learning.BeginsOnLoops)
{
    private readonly Lock _lock = new();
    private readonly long[] _longCalls = new long[Learning.LongCalls]; // numbers of the last ones
    private int _longCount, _shortInRow, _proof = Learning.ProofOfShort;
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

    /// <summary>What a piece that was watched has done; or, of the others, that it blocked.</summary>
    public void Judge(Verdict verdict)
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
            if (returns)
            {
                _proof = Learning.ProofAfterReturn;
                Begin(onLoops: false);
            }
            else if (!_isOnLoops && IsProven(verdict))
            {
                Begin(onLoops: true);
            }
        }

        if (returns)
        {
            returned?.Invoke(this, verdict);
        }
    }

    public override string ToString() => $"{name}: {(RunsOnLoops ? "on loops" : $"on the pool, {_shortInRow} of {_proof}")}";

    private void Begin(bool onLoops)
    {
        (_longCount, _shortInRow) = (0, 0);
        _inPlace.Forget();
        Volatile.Write(ref _isOnLoops, onLoops);
    }

    private bool IsProven(Verdict verdict)
    {
        _shortInRow = verdict switch
        {
            Verdict.Short => _shortInRow + 1,
            Verdict.Unknown or Verdict.Long => _shortInRow,
            _ => 0,
        };
        return _shortInRow >= _proof;
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
        return verdict == Verdict.Blocks || (_longCount >= Learning.LongCalls && _calls - oldest < Learning.Window);
    }
}
