namespace NativeThreading.Platform;

/// <summary>Which core this process runs on. Decided at the first use, for good: by <see cref="Variable"/>, else by <see cref="Switch"/>, else
/// by whether the native library can be used.</summary>
internal static class CoreChoice
{
    /// <summary>The environment's variable: <c>native</c> or <c>managed</c>.</summary>
    public const string Variable = "NATIVETHREADING_CORE";

    /// <summary>The switch of a runtimeconfig.json: true for the managed core, false for the native one.</summary>
    public const string Switch = "NativeThreading.ManagedCore";

    private static readonly Decision s_decision = Decision.Make(
        Environment.GetEnvironmentVariable(Variable),
        AppContext.TryGetSwitch(Switch, out bool managed) ? managed : null,
        NativeCore.Unusable);

    /// <summary>Whether the managed core runs. Constant for the compiler that compiles what is hot.</summary>
    public static readonly bool IsManaged = s_decision.Core == ThreadingCore.Managed;

    public static ThreadingCore Core => s_decision.Core;

    /// <summary>A sentence: why this one.</summary>
    public static string Reason => s_decision.Reason;

    /// <summary>Whether the managed core was not requested, and runs because the native one cannot.</summary>
    public static bool IsFallback => s_decision.IsFallback;

    /// <summary>Throws <see cref="PlatformNotSupportedException"/> where a core was asked for that cannot be had (T93).</summary>
    public static void EnsureUsable()
    {
        if (s_decision.Refusal is { } message)
        {
            throw new PlatformNotSupportedException(message);
        }
    }
}
