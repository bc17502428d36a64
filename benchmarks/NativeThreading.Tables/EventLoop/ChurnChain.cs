namespace NativeThreading.Tables.EventLoops;

/// <summary>Arms one of 100,000 armed timers anew, as the timeouts of a busy server; so many times a turn.</summary>
internal sealed class ChurnChain : TurnChain
{
    private const int Count = 256;
    private const int Timers = 100_000;

    private static readonly Action<object?> s_turn = static chain => ((ChurnChain)chain!).Turn();
    private static readonly Action<object?> s_fired = static _ => throw new InvalidOperationException("A timer of in an hour has fired.");

    private readonly EventLoopTimer[] _timers = new EventLoopTimer[Timers];
    private uint _random = 2463534242;

    public ChurnChain()
        : base("armed", executionsPerTurn: Count, iterationsPerTurn: Count)
    {
        // On the loop's thread, where it costs no call across threads.
        Loop.InvokeAsync(() =>
        {
            for (int i = 0; i < Timers; i++)
            {
                _timers[i] = new EventLoopTimer(Loop, s_fired, this);
                _timers[i].Arm(InAboutAnHour());
            }
        }).Wait();
    }

    protected override void StartTurn() => Loop.UnsafePost(s_turn, this);

    private void Turn()
    {
        for (int i = 0; i < Count; i++)
        {
            TimeSpan due = InAboutAnHour();
            _timers[NextRandom() % Timers].Arm(due);
            Executed++;
        }

        EndTurn();
    }

    private TimeSpan InAboutAnHour() => new((3_600_000L + (NextRandom() % 10_000_000)) * TimeSpan.TicksPerMillisecond);

    /// <summary>The generator of the driver, so that both columns spend the same on it.</summary>
    private uint NextRandom()
    {
        _random ^= _random << 13;
        _random ^= _random >> 17;
        _random ^= _random << 5;
        return _random;
    }
}
