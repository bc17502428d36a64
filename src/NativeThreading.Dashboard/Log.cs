using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard;

/// <summary>All messages of this package. Ids are permanent and listed in docs/metrics.md.</summary>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.Dashboard";

    [LoggerMessage(1, LogLevel.Information, "The page of threads at {Pattern} has no authorization policy: this is Development, and everybody who reaches the application may see it.")]
    public static partial void OpenInDevelopment(ILogger logger, string pattern);

    [LoggerMessage(2, LogLevel.Warning, "The page of threads at {Pattern} has no authorization policy: outside Development it is not served. Add .RequireAuthorization(...) to MapNativeThreading.")]
    public static partial void NotServed(ILogger logger, string pattern);

    [LoggerMessage(4, LogLevel.Error, "The page of threads at {Pattern} has an authorization policy, but the application has no authorization services that could check it: the page is not served. Call services.AddAuthorization().")]
    public static partial void NotChecked(ILogger logger, string pattern);

    [LoggerMessage(3, LogLevel.Warning, "A sample of the threads could not be taken; the next one is tried as ever.")]
    public static partial void SampleFailed(ILogger logger, Exception exception);
}
