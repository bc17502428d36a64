namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Whether a socket may take bytes again. The sender asks on any thread, and the loop tells. The kernel tells an edge once: one
/// that comes between the sender's failed attempt and its wait is remembered here.
/// </summary>
internal struct WriteGate
{
    private const int Quiet = 0, Told = 1, Waiting = 2;

    private int _state;

    public readonly bool IsWaiting => Volatile.Read(in _state) == Waiting;

    /// <summary>
    /// Before an attempt. Edges from here on count: with a full fence, or the write might reach other processors behind the attempt,
    /// and wipe out what the loop has told by then.
    /// </summary>
    public void Prepare() => Interlocked.Exchange(ref _state, Quiet);

    /// <summary>After an attempt that would have blocked. Partner: <see cref="Tell"/>.</summary>
    /// <returns>Whether the loop will resume the sender; otherwise it tries again itself.</returns>
    public bool TryWait() => Interlocked.CompareExchange(ref _state, Waiting, Quiet) == Quiet;

    /// <summary>On the loop: there was an edge, or the end.</summary>
    /// <returns>Whether the sender waits, and is to be resumed by the caller.</returns>
    public bool Tell() => Interlocked.Exchange(ref _state, Told) == Waiting;
}
