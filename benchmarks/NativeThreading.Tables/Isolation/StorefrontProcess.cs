using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Isolation;

/// <summary>The sample, with or without isolation, in a process of its own; a new one for each run, because the built-in pool keeps the threads that
/// an earlier run made it grow.</summary>
internal static class StorefrontProcess
{
    public static ServerProcess Start(bool isolated) =>
        new("StorefrontSample", "--urls", "http://127.0.0.1:0", "--Isolation", isolated ? "true" : "false");
}
