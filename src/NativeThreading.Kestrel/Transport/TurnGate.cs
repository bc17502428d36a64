namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// One at a time in the turns of a receiver. A loop that hands over may take a thread that waits for a moment for one that is blocked,
/// and go on beside it: a lock. Any other loop has one thread, and its receivers need none.
/// </summary>
/// <param name="isTakenOver">Whether the loop hands over.</param>
internal readonly struct TurnGate(bool isTakenOver)
{
    private readonly Lock? _lock = isTakenOver ? new Lock() : null;

    /// <summary>Until the result is disposed.</summary>
    public Turn Enter()
    {
        _lock?.Enter();
        return new Turn(_lock);
    }

    public readonly ref struct Turn(Lock? held)
    {
        public void Dispose() => held?.Exit();
    }
}
