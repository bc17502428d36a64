using NativeThreading.Waiting;

namespace NativeThreading.EventLoops;

/// <summary>
/// What lies between a loop that calls a handler and a thread that does not want it called any more. The loop claims each call,
/// as its last step before it, in the same word in which the gate is closed: after that no call begins (T139). The thread that
/// closes waits for nothing, for a handler may be waiting for it; who has to know that none runs goes through the loop.
/// Model: native/models/handler_gate.pml.
/// </summary>
internal struct HandlerGate
{
    private const int Closed = 1;
    private const int Calling = 2;

    private int _state; // each change is interlocked

    public readonly bool IsClosed => (Volatile.Read(in _state) & Closed) != 0;

    public readonly bool IsCalling => (Volatile.Read(in _state) & Calling) != 0;

    /// <summary>Claims a call. By the loop alone, which ends each before it claims the next.</summary>
    public bool TryBegin()
    {
        Chaos.Point("HandlerGate.TryBegin");
        return Interlocked.CompareExchange(ref _state, Calling, 0) == 0;
    }

    /// <summary>The call has ended, also where it threw.</summary>
    public void End()
    {
        Chaos.Point("HandlerGate.End");
        Interlocked.And(ref _state, ~Calling);
        Chaos.Point("HandlerGate.End, ended");
    }

    /// <summary>Lets no call begin any more. Whether it was the first to do so.</summary>
    public bool Close()
    {
        Chaos.Point("HandlerGate.Close");
        return (Interlocked.Or(ref _state, Closed) & Closed) == 0;
    }

    /// <summary>
    /// Lets a loop that was pre-empted right behind its claim come to the handler's first instruction, which would otherwise
    /// seem to begin late. No promise rests on it.
    /// </summary>
    public readonly void GiveWay()
    {
        UninterruptedSpin spin = default;
        for (int look = 0; look < SpinTuning.HandlerLooks && IsCalling; look++)
        {
            spin.Once();
        }
    }
}
