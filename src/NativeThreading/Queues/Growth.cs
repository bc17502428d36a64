namespace NativeThreading.Queues;

/// <summary>
/// Where the library asks for memory after its objects were made: as its structures grow, and for a worker. A test can let
/// each fail, as memory that runs out would.
/// </summary>
internal static class Growth
{
    /// <summary>Called before memory is asked for, with what it is for; a test's hook that may throw.</summary>
    internal static Action<string>? Before { get; set; }

    /// <summary>Memory is about to be asked for. Nothing has changed yet.</summary>
    public static void Begin(string what) => Before?.Invoke(what);
}
