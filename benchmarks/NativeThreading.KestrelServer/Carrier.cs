using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting;
using NativeThreading.Kestrel;

namespace NativeThreading.KestrelServer;

/// <summary>What carries the connections, and where requests run.</summary>
internal static class Carrier
{
    public const string Default = "default", Inline = "inline", Native = "native", Loops = "loops", Pool = "pool";

    private const string PoolName = "requests";

    public static string[] Names => [Default, Inline, Native, Loops, Pool];

    public static void Use(string side, WebApplicationBuilder builder)
    {
        switch (side)
        {
            case Default:
                break;
            case Inline:
                builder.WebHost.UseSockets(static sockets => sockets.UnsafePreferInlineScheduling = true);
                break;
            case Native:
                builder.WebHost.UseNativeTransport();
                break;
            case Loops:
                builder.WebHost.UseNativeTransport(static options => options.Requests = NativeTransportRequests.Loops);
                break;
            case Pool:
                builder.Services.AddNativeThreadPool(PoolName);
                builder.WebHost.UseNativeTransport(static options =>
                {
                    options.Requests = NativeTransportRequests.Pool;
                    options.PoolName = PoolName;
                });
                break;
            default:
                throw new ArgumentException($"One of: {string.Join(", ", Names)}.", nameof(side));
        }
    }

    /// <summary>A row must not measure another carrier than its name says.</summary>
    public static void Check(string side, IServiceProvider services)
    {
        string carrier = services.GetServices<IConnectionListenerFactory>().Last().GetType().Assembly.GetName().Name!;
        bool isOurs = carrier.StartsWith("NativeThreading", StringComparison.Ordinal);
        if (isOurs != (side is Native or Loops or Pool) || (isOurs && NativeThreadPool.Core != ThreadingCore.Native))
        {
            throw new InvalidOperationException($"The connections of '{side}' are carried by {carrier}, on the core {NativeThreadPool.Core}.");
        }
    }
}
