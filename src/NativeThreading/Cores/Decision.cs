namespace NativeThreading.Cores;

/// <summary>What was asked for, what can be had, and what comes of it.</summary>
/// <param name="Core">The core that runs.</param>
/// <param name="Reason">A sentence: why this one.</param>
/// <param name="IsFallback">Nobody asked for it: the native one cannot be used.</param>
/// <param name="Refusal">The message of the exception, where nothing can run.</param>
internal sealed record Decision(ThreadingCore Core, string Reason, bool IsFallback = false, string? Refusal = null)
{
    /// <param name="variable">The value of <see cref="CoreChoice.Variable"/>, if it is set.</param>
    /// <param name="managedSwitch">The value of <see cref="CoreChoice.Switch"/>, if it is set.</param>
    /// <param name="unusable">Loads the native library: why it cannot be used, or <see langword="null"/>. Called only where that matters.</param>
    public static Decision Make(string? variable, bool? managedSwitch, Func<string?> unusable)
    {
        (ThreadingCore? asked, string by) = variable switch
        {
            "native" => (ThreadingCore.Native, $"{CoreChoice.Variable}=native"),
            "managed" => (ThreadingCore.Managed, $"{CoreChoice.Variable}=managed"),
            null or "" when managedSwitch is { } managed =>
                (managed ? ThreadingCore.Managed : ThreadingCore.Native, $"the switch {CoreChoice.Switch}={(managed ? "true" : "false")}"),
            null or "" => ((ThreadingCore?)null, ""),
            _ => (null, $"{CoreChoice.Variable} is '{variable}'; it may be 'native' or 'managed'."),
        };
        if (asked == ThreadingCore.Managed)
        {
            return new(ThreadingCore.Managed, $"Asked for by {by}.");
        }

        if (asked is null && by.Length != 0)
        {
            return new(ThreadingCore.Native, by, Refusal: by);
        }

        string? reason = unusable();
        return (reason, asked) switch
        {
            (null, null) => new(ThreadingCore.Native, "The native library can be used."),
            (null, _) => new(ThreadingCore.Native, $"Asked for by {by}."),
            (_, null) => new(ThreadingCore.Managed, reason, IsFallback: true),
            _ => new(ThreadingCore.Native, reason, Refusal: $"{reason} The native core was asked for by {by}; without that, the managed core would run."),
        };
    }
}
