using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>Kestrel on real sockets, on one of the transports.</summary>
internal sealed class TransportServer : IAsyncDisposable
{
    /// <summary>The pool of <see cref="Carrier.LoopsAndPool"/>.</summary>
    public const string Pool = "application";

    private readonly List<ListenOptions> _listens = [];
    private readonly ServerPlan _plan;
    private readonly WebApplication _app;
    private readonly ErrorLog _log = new();
    private readonly ConcurrentQueue<Socket> _clients = new();

    private TransportServer(Carrier carrier, ServerPlan plan)
    {
        _plan = plan;
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = Environments.Production });
        builder.Logging.ClearProviders().AddProvider(_log);
        builder.WebHost.UseKestrelHttpsConfiguration().ConfigureKestrel(kestrel =>
        {
            // On a loaded machine a server that is blocked on purpose reads later than Kestrel waits. A test of rates sets some.
            (kestrel.Limits.MinRequestBodyDataRate, kestrel.Limits.MinResponseDataRate) = (null, null);
            plan.Kestrel(kestrel);
            plan.Bind(kestrel, Listen);
        });
        if (carrier == Carrier.Adaptive)
        {
            builder.WebHost.UseNativeTransport();
        }
        else if (carrier == Carrier.Loops)
        {
            builder.WebHost.UseNativeTransport(options => options.Requests = NativeTransportRequests.RuntimePool);
        }
        else if (carrier == Carrier.LoopsAndPool)
        {
            builder.Services.AddNativeThreadPool(Pool);
            builder.WebHost.UseNativeTransport(options => (options.PoolName, options.Requests) = (Pool, NativeTransportRequests.Pool));
        }
        else if (carrier == Carrier.LoopsAlone)
        {
            builder.WebHost.UseNativeTransport(options => options.Requests = NativeTransportRequests.Loops);
        }

        _app = builder.Build();
        plan.App(_app);
    }

    public ConnectionLog Connections { get; } = new();

    public string[] Warnings => _log.Warnings;

    /// <summary>Where it listens, in the order of the plan.</summary>
    public EndPoint[] EndPoints => [.. _listens.Select(static listen => listen.EndPoint)];

    public EndPoint EndPoint => EndPoints[0];

    public int Port => ((IPEndPoint)EndPoint).Port;

    public static async Task<TransportServer> StartAsync(Carrier carrier, ServerPlan plan)
    {
        var server = new TransportServer(carrier, plan);
        try
        {
            await Deadline.For(server._app.StartAsync(), "start of the server");
            return server;
        }
        catch
        {
            await server._app.DisposeAsync();
            throw;
        }
    }

    public Task<RawClient> ConnectAsync(int receiveBuffer = 0, int sendBuffer = 0, IPAddress? from = null) =>
        RawClient.ConnectAsync(EndPoint, receiveBuffer, sendBuffer, from);

    /// <summary>A client whose connections are to the first endpoint, of exactly that version; it trusts every certificate.</summary>
    public HttpClient CreateClient(Version version, string scheme = "http") => new(new SocketsHttpHandler
    {
        SslOptions = new() { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null },
        ConnectCallback = async (_, token) =>
        {
            var socket = new Socket(EndPoint.AddressFamily, SocketType.Stream, EndPoint is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
            _clients.Enqueue(socket);
            await socket.ConnectAsync(EndPoint, token);
            return new NetworkStream(socket, ownsSocket: true);
        },
    })
    {
        BaseAddress = new Uri($"{scheme}://localhost/"),
        DefaultRequestVersion = version,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        Timeout = Deadline.Time,
    };

    /// <summary>
    /// As <see cref="Deadline"/>. Where nothing comes the message says where all stand: a connection that has lost a wake, a pool
    /// without a free thread and a machine without a free processor look alike to a client.
    /// </summary>
    public async Task WaitForAsync(Task task, Func<string> what)
    {
        TimeSpan used = Environment.CpuUsage.TotalTime;
        try
        {
            await Deadline.For(task, "");
        }
        catch (TimeoutException exception) when (!task.IsCompleted)
        {
            NativeThreadPool? pool = _app.Services.GetKeyedService<NativeThreadPool>(Pool);
            throw new TimeoutException(
                $"""
                {exception.Message}{what()}
                The process had {Environment.CpuUsage.TotalTime - used} of processors meanwhile.
                The built-in pool: {ThreadPool.ThreadCount} threads, {ThreadPool.PendingWorkItemCount} items wait.
                {pool}: {pool?.ThreadCount} threads, {pool?.BlockedThreadCount} blocked, {pool?.PendingWorkItemCount} items wait, {pool?.OldestWorkItemAge}.
                {Connections.Accepted} connections, {Connections.Open} open:
                {Connections.Describe()}
                Of its clients: {string.Join(", ", _clients.Select(ConnectionLog.Available))}.
                Errors: {string.Join(Environment.NewLine, _log.Errors)}
                """,
                exception);
        }
    }

    /// <summary>As an application stops: requests that have started may finish.</summary>
    public Task StopAsync() => Deadline.For(_app.StopAsync(), "stop of the server");

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await Deadline.For(_app.DisposeAsync().AsTask(), "disposal of the server");
    }

    /// <summary>Once it was disposed: nothing is left, and no error was logged.</summary>
    public void AssertEndedWell()
    {
        Assert.Equal(0, Connections.Open);
        if (!_plan.LogsErrors)
        {
            Assert.True(_log.Errors is [], $"Errors were logged:{Environment.NewLine}{string.Join(Environment.NewLine, _log.Errors)}");
        }
    }

    private void Listen(ListenOptions listen)
    {
        _listens.Add(listen);
        listen.Protocols = _plan.Protocols;
        Connections.Watch(listen);
        _plan.Listen(listen);
    }
}
