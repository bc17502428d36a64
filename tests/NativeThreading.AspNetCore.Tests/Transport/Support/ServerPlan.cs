using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>What a test wants of its server: by default HTTP/1.1 on a port of 127.0.0.1 that the system chooses.</summary>
internal sealed class ServerPlan
{
    public Action<WebApplication> App { get; init; } = static _ => { };

    public Action<KestrelServerOptions> Kestrel { get; init; } = static _ => { };

    /// <summary>For each endpoint.</summary>
    public Action<ListenOptions> Listen { get; init; } = static _ => { };

    /// <summary>Which endpoints there are; each gets the action.</summary>
    public Action<KestrelServerOptions, Action<ListenOptions>> Bind { get; init; } =
        static (kestrel, listen) => kestrel.Listen(IPAddress.Loopback, 0, listen);

    public HttpProtocols Protocols { get; init; } = HttpProtocols.Http1;

    /// <summary>Code of the test fails, and Kestrel logs that.</summary>
    public bool LogsErrors { get; init; }
}
