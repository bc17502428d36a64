using Microsoft.Extensions.Logging;

namespace NativeThreading.Dashboard;

/// <summary>All messages of this package. Ids are permanent and listed in docs/reference/events-and-log-ids.md.</summary>
internal static partial class Log
{
    /// <summary>The category of all messages of this package.</summary>
    public const string Category = "NativeThreading.Dashboard";

    [LoggerMessage(1, LogLevel.Information, "The live page at '{Pattern}' has no authorization policy. The environment is Development, so every client that reaches the application can open the page.")]
    public static partial void OpenInDevelopment(ILogger logger, string pattern);

    [LoggerMessage(2, LogLevel.Warning, "The live page at '{Pattern}' has no authorization policy, so it is served only in Development. Add .RequireAuthorization(...) to MapNativeThreading.")]
    public static partial void NotServed(ILogger logger, string pattern);

    [LoggerMessage(4, LogLevel.Error, "The live page at '{Pattern}' has an authorization policy, but the application has no authorization services that could check it, so the page is not served. Call services.AddAuthorization().")]
    public static partial void NotChecked(ILogger logger, string pattern);

    [LoggerMessage(3, LogLevel.Warning, "Sampling the threads failed; retrying with the next sample.")]
    public static partial void SampleFailed(ILogger logger, Exception exception);
}
