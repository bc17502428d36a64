namespace NativeThreading.EventLoops;

/// <summary>
/// The context of a callback of a loop that accepted work needs in order to go on; with a pool, its state. Such a callback is
/// never dropped: where its loop or pool has stopped it runs on the runtime's pool.
/// </summary>
internal static class Continuation
{
    public static readonly object Mark = new();
}
