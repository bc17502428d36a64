using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore;

/// <summary>
/// Logs why requests fail where the services of this package are missing. Then nothing checks endpoints at the start: routing
/// builds them at the first request, fails, and tries again at each. The server answers 500 and says nothing. Logged once for
/// an application.
/// </summary>
internal static class LateCheck
{
    private static readonly ConditionalWeakTable<IServiceProvider, object> s_told = [];

    public static void Tell(IServiceProvider services, InvalidOperationException unknown)
    {
        if (services.GetService<RejectionLogs>() is null && s_told.TryAdd(services, unknown))
        {
            Log.CheckedTooLate(services.GetRequiredService<ILoggerFactory>().CreateLogger(Log.Category), unknown.Message, unknown);
        }
    }
}
