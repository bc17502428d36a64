using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>
/// What every transport must do, one theme a class, and for each transport a class that derives from it. After each test its servers
/// stop: they must have no connection left then, and have logged no error.
/// </summary>
public abstract class TransportContract(Carrier carrier) : IAsyncLifetime
{
    /// <summary>The simplest request.</summary>
    private protected const string Get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private readonly List<TransportServer> _servers = [];

    private protected Carrier Carrier => carrier;

    /// <summary>On the managed core, whose loops have no descriptors, Kestrel's own sockets do the work.</summary>
    private protected bool IsOnLoops => carrier != Carrier.Sockets && NeedsNativeCoreAttribute.IsMet(NeedsNativeCoreAttribute.Descriptors);

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        foreach (TransportServer server in _servers)
        {
            await server.DisposeAsync();
            server.AssertEndedWell();
        }
    }

    private protected static TaskCompletionSource NewGate() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private protected static TaskCompletionSource<T> NewGate<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when the token is cancelled.</summary>
    private protected static Task Cancelled(CancellationToken token)
    {
        TaskCompletionSource cancelled = NewGate();
        token.Register(cancelled.SetResult);
        return cancelled.Task;
    }

    private protected async Task<TransportServer> ServeAsync(ServerPlan plan)
    {
        TransportServer server = await TransportServer.StartAsync(carrier, plan);
        _servers.Add(server);
        return server;
    }

    private protected Task<TransportServer> ServeAsync(Action<WebApplication> app) => ServeAsync(new ServerPlan { App = app });

    /// <summary>Every request goes to one handler.</summary>
    private protected Task<TransportServer> ServeAsync(RequestDelegate handler) => ServeAsync(app => app.Run(handler));

    /// <summary>Without HTTP.</summary>
    private protected Task<TransportServer> ServeConnectionsAsync(Func<ConnectionContext, Task> handler, bool logsErrors = false) =>
        ServeAsync(new ServerPlan { Listen = listen => listen.Run(connection => handler(connection)), LogsErrors = logsErrors });

    /// <summary>A new connection is served.</summary>
    private protected static async Task AssertServesAsync(TransportServer server, string request = Get)
    {
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync(request);
        Assert.Equal(200, (await client.ReadResponseAsync()).Status);
    }
}
