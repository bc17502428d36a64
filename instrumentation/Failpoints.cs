namespace NativeThreading.Instrumentation;

/// <summary>The places at which a test can make the library fail: allocations that come later than in constructors, starts of threads, and reads of a
/// thread's state. Each is <see langword="null"/> unless a test has set it.</summary>
internal static class Failpoints
{
    /// <summary>Called with what the memory is for, before an allocation and before any change that depends on it. It may throw.</summary>
    public static Action<string>? Growth { get; set; }

    /// <summary>Called with the thread's name before each start. It may throw.</summary>
    public static Action<string>? ThreadStart { get; set; }

    /// <summary>What reads of a thread's run state return.</summary>
    public static Func<int>? RunState { get; set; }

    /// <summary>What reads of a thread's processor time return.</summary>
    public static int? Cpu { get; set; }

    /// <summary>What reads of the time return for which a thread had no processor.</summary>
    public static int? RunDelay { get; set; }

    /// <summary>What reads of a thread's count of waits return.</summary>
    public static long? Waits { get; set; }
}
