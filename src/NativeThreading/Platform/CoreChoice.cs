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

/// <summary>The choice of the core, from the settings of the process and the native library that it finds.</summary>
/// <param name="Core">The core that runs.</param>
/// <param name="Reason">The reason, as a sentence.</param>
/// <param name="IsFallback">Whether the managed core runs without being selected, because the native one cannot be used.</param>
/// <param name="Refusal">The message of the exception if neither core may run.</param>
internal sealed record Decision(ThreadingCore Core, string Reason, bool IsFallback = false, string? Refusal = null)
{
    /// <param name="variable">The value of <see cref="CoreChoice.Variable"/>, if it is set.</param>
    /// <param name="managedSwitch">The value of <see cref="CoreChoice.Switch"/>, if it is set.</param>
    /// <param name="unusable">Loads the native library and returns why it cannot be used, or <see langword="null"/>. Called only if the
    /// answer matters.</param>
    public static Decision Make(string? variable, bool? managedSwitch, Func<string?> unusable)
    {
        // Not a tuple: the framework contains no compiled code for one with a ThreadingCore?.
        ThreadingCore? asked = variable switch
        {
            "native" => ThreadingCore.Native,
            "managed" => ThreadingCore.Managed,
            null or "" when managedSwitch is { } managed => managed ? ThreadingCore.Managed : ThreadingCore.Native,
            _ => null,
        };
        string by = variable switch
        {
            "native" or "managed" => $"{CoreChoice.Variable}={variable}",
            null or "" when managedSwitch is { } managed => $"The switch {CoreChoice.Switch}={(managed ? "true" : "false")}",
            null or "" => "",
            _ => $"{CoreChoice.Variable} must be 'native' or 'managed', but was '{variable}'.",
        };
        if (asked == ThreadingCore.Managed)
        {
            return new(ThreadingCore.Managed, $"{by} selects it.");
        }

        if (asked is null && by.Length != 0)
        {
            return new(ThreadingCore.Native, by, Refusal: by);
        }

        string? reason = unusable();
        return (reason, asked) switch
        {
            (null, null) => new(ThreadingCore.Native, "The native library can be used."),
            (null, _) => new(ThreadingCore.Native, $"{by} selects it."),
            (_, null) => new(ThreadingCore.Managed, reason, IsFallback: true),
            _ => new(ThreadingCore.Native, reason, Refusal: $"{reason} {by} requires the native core. Remove that setting to run on the managed core."),
        };
    }
}
