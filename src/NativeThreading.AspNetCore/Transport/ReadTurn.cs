using System.Diagnostics;
using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>
/// How long an application on a loop may go on with what one client has sent. When that is over, a read that could be complete at once is so
/// behind the next poll, and others have their turn. Used by the one that reads; the receiver asks on the loop.
/// </summary>
internal sealed class ReadTurn(LoopConnection connection) : PipeScheduler
{
    private const int ReadsPerLook = 4; // at the clock. A power of two
    private const long Longest = 100_000; // nanoseconds, which are ticks of the stopwatch on Linux

    private static readonly Action<object?> s_goOn = static turn => ((ReadTurn)turn!).GoOn();

    private long _began; // 0: with the next look
    private int _reads;
    private bool _isOver;
    private Action<object?>? _action;
    private object? _state;

    /// <summary>Whether the application waits for its next turn, and has something to read.</summary>
    public bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>The application waits for the client: what it reads next begins a turn.</summary>
    public void Begin() => _began = 0;

    /// <summary>Before a read that is complete: whether it is to wait. Who answers yes goes on through <see cref="Schedule"/>.</summary>
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

    /// <summary>Behind the next poll.</summary>
    public override void Schedule(Action<object?> action, object? state)
    {
        (_action, _state) = (action, state);
        Volatile.Write(ref _isOver, true); // not before somebody waits: the receiver would ask again at each poll
        connection.AfterPoll(s_goOn, this);
    }

    private void GoOn()
    {
        Volatile.Write(ref _isOver, false);
        _action!(_state);
    }
}
