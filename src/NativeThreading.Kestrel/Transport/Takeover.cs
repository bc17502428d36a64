namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Another thread may take a loop over in the middle of any callback, also between a look at <see cref="EventLoop.IsInLoop"/> and the call that
/// needs the loop. That call then throws, and what it was to do is done by a callback of its own.
/// </summary>
internal static class Takeover
{
    public static bool IsCauseOf(Exception exception, EventLoop loop) =>
        exception is InvalidOperationException and not ObjectDisposedException && !loop.IsInLoop;
}
