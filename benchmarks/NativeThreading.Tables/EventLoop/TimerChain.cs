namespace NativeThreading.Tables.EventLoops;

/// <summary>Arms timers for now; the last one to fire ends the turn.</summary>
internal sealed class TimerChain : TurnChain
{
    private static readonly Action<object?> s_fired = static chain => ((TimerChain)chain!).Fired();

    private readonly EventLoopTimer[] _timers;
    private int _fired;

    public TimerChain(int count)
        : base($"timers-{count}", executionsPerTurn: count, iterationsPerTurn: 1)
    {
        _timers = new EventLoopTimer[count];
        for (int i = 0; i < count; i++)
        {
            _timers[i] = new EventLoopTimer(Loop, s_fired, this);
        }
    }

    protected override void StartTurn()
    {
        _fired = 0;
        foreach (EventLoopTimer timer in _timers)
        {
            timer.Arm(TimeSpan.Zero);
        }
    }

    private void Fired()
    {
        Executed++;
        if (++_fired == _timers.Length)
        {
            EndTurn();
        }
    }
}
