using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>Work that a loop does turn after turn: what ends a turn asks for the next one, through the public calls, as code that uses a loop would.
/// Measured on the loop's thread in short slices, as the driver measures its rows.</summary>
/// <param name="name">Of the loop.</param>
/// <param name="executionsPerTurn">How often a turn counts <see cref="Executed"/> up.</param>
/// <param name="iterationsPerTurn">What the time is divided by: 1 where the row's time is that of a turn.</param>
internal abstract class TurnChain(string name, int executionsPerTurn, int iterationsPerTurn) : IDisposable
{
    private const int Slices = 5;

    private static readonly TimeSpan s_slice = TimeSpan.FromMilliseconds(1);

    private readonly MeasuredLoop _loop = new(name);
    private readonly Reading[] _readings = new Reading[Slices];

    private long _turnsPerSlice = 1;
    private long _turnsLeft;
    private long _turns;
    private int _slice;
    private Meter _meter;

    protected EventLoop Loop => _loop.Loop;

    /// <summary>Counted by what the loop calls, so that a turn which does less than its work is noticed (T122).</summary>
    protected long Executed { get; set; }

    public Sample Run()
    {
        Prepare();
        Executed = 0;
        _turns = 0;
        _slice = -1;
        Loop.UnsafePost(static chain => ((TurnChain)chain!).Begin(), this);
        _loop.WaitForEnd();

        if (Executed != _turns * executionsPerTurn)
        {
            throw new MeasurementException($"{name}: {Executed} executions instead of {_turns * executionsPerTurn}.");
        }

        Check();
        return Statistics.Median([.. _readings.Select(r => r.NanosecondsPer(_turnsPerSlice * iterationsPerTurn))], decimals: null);
    }

    public virtual void Dispose() => _loop.Dispose();

    /// <summary>Asks for the work of one turn.</summary>
    protected abstract void StartTurn();

    /// <summary>Takes note of where the counters stand that <see cref="Check"/> is about.</summary>
    protected virtual void Prepare()
    {
    }

    /// <summary>Whether what was executed did what it is named after, where something else counts it, too.</summary>
    protected virtual void Check()
    {
    }

    /// <summary>To be called by what is called last in a turn.</summary>
    protected void EndTurn()
    {
        if (--_turnsLeft > 0 || EndSlice())
        {
            StartTurn();
        }
    }

    private void Begin()
    {
        BeginSlice();
        StartTurn();
    }

    private bool EndSlice()
    {
        Reading reading = _meter.Stop();
        _turns += _turnsPerSlice;
        if (_slice >= 0)
        {
            _readings[_slice++] = reading;
        }
        else if (reading.Elapsed < s_slice)
        {
            _turnsPerSlice *= 2;
        }
        else
        {
            _slice = 0; // That slice, untimed, fills the caches, and the waiting thread falls asleep.
        }

        if (_slice == Slices)
        {
            _loop.End();
            return false;
        }

        BeginSlice();
        return true;
    }

    private void BeginSlice()
    {
        _turnsLeft = _turnsPerSlice;
        _meter = Meter.Start();
    }
}
