namespace NativeThreading.Queues;

/// <summary>
/// The places where the library allocates later than in constructors: for growing queues and for workers. A test can make each
/// fail.
/// </summary>
internal static class Growth
{
    /// <summary>A test's hook, which may throw. It is told what the memory is for.</summary>
    internal static Action<string>? Before { get; set; }

    /// <summary>Called before an allocation and before any change that depends on it.</summary>
    public static void Begin(string what) => Before?.Invoke(what);
}
