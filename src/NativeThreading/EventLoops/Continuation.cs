namespace NativeThreading.EventLoops;

/// <summary>
/// The context of a callback that accepted work needs in order to go on. Such a callback is never dropped: where its loop
/// has stopped it runs on the runtime's pool.
/// </summary>
internal static class Continuation
{
    public static readonly object Mark = new();
}
