using System.Diagnostics;
using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Limits how long an application on a loop may process the input of one client without a pause. Past the budget, a read completes after the
/// next poll, and other connections have their turn. Used by the code that reads; the receiver checks it on the loop.
/// </summary>
internal sealed class ReadTurn(LoopConnection connection) : PipeScheduler
{
    private const int ReadsPerLook = 4; // completed reads per read of the clock; a power of two
    private const long Longest = 100_000; // nanoseconds, which are ticks of the stopwatch on Linux

    private static readonly Action<object?> s_goOn = static turn => ((ReadTurn)turn!).GoOn();

    private long _began; // 0: set at the next read of the clock
    private int _reads;
    private bool _isOver;
    private Action<object?>? _action;
    private object? _state;

    /// <summary>Whether the application waits for its next turn and has unread input.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>The application waits for the client, so its next read starts a new turn.</summary>
    public void Begin() => _began = 0;

    /// <summary>Called before a read that could complete at once: whether it must wait. If so, the caller continues through <see cref="Schedule"/>.</summary>
    public bool TryEnd()
    {
        if ((++_reads & (ReadsPerLook - 1)) != 0)
        {
            return false;
        }

        long now = Stopwatch.GetTimestamp();
        if (_began == 0)
        {
            _began = now;
        }

        if (now - _began < Longest || !connection.Loop.IsInLoop)
        {
            return false;
        }

        _began = 0;
        return true;
    }

    /// <summary>Runs the action after the next poll.</summary>
    public override void Schedule(Action<object?> action, object? state)
    {
        (_action, _state) = (action, state);
        Volatile.Write(ref _isOver, true); // only when an action waits; otherwise the receiver would check at each poll
        connection.AfterPoll(s_goOn, this);
    }

    private void GoOn()
    {
        Volatile.Write(ref _isOver, false);
        _action!(_state);
    }
}
