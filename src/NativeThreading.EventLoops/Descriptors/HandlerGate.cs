namespace NativeThreading.EventLoops.Descriptors;

/// <summary>Decides between a loop that is about to call a handler and a thread that wants no more calls. The loop claims each call in the word that
/// closes the gate, as the last step before the call. So no call starts after the gate has closed (T139). Closing does not wait for a running call,
/// because the handler may wait for the closing thread. A thread that must know that no call runs goes through the loop. Model:
/// native/models/handler_gate.pml.</summary>
internal struct HandlerGate
{
    private const int Closed = 1;
    private const int Calling = 2;

    private int _state; // all changes are interlocked

    public readonly bool IsClosed => (Volatile.Read(in _state) & Closed) != 0;
    public readonly bool IsCalling => (Volatile.Read(in _state) & Calling) != 0;

    /// <summary>Claims a call. Only the loop calls this, and it ends each call before it claims the next.</summary>
    public bool TryBegin()
    {
        Chaos.Point("HandlerGate.TryBegin");
        return Interlocked.CompareExchange(ref _state, Calling, 0) == 0;
    }

    /// <summary>Ends the claimed call, also if it threw.</summary>
    public void End()
    {
        Chaos.Point("HandlerGate.End");
        Interlocked.And(ref _state, ~Calling);
        Chaos.Point("HandlerGate.End, ended");
    }

    /// <summary>Closes the gate: no further call starts. Returns whether the gate was open.</summary>
    public bool Close()
    {
        Chaos.Point("HandlerGate.Close");
        return (Interlocked.Or(ref _state, Closed) & Closed) == 0;
    }
}
