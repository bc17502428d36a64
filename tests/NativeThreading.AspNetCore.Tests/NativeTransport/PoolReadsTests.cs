using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>
/// All requests run on a named pool that is at its limit of blocked threads. A read that continues a request runs on a rescue thread, and a read that
/// brings a new request waits for a thread within the limit.
/// </summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
[SuppressMessage("Usage", "VSTHRD002", Justification = "The tests are about handlers that block.")]
[SuppressMessage("Usage", "VSTHRD103", Justification = "The tests are about handlers that block.")]
public sealed class PoolReadsTests : IAsyncDisposable
{
    private const int MaxThreads = 1, MaxBlocked = 2, AtTheLimit = MaxThreads + MaxBlocked, Clients = 6;
    private const string Pool = "limited", Head = " HTTP/1.1\r\nHost: x\r\n", EndOfHead = "\r\n\r\n", Begin = "begin", Rest = " rest";

    private readonly ManualResetEventSlim _gate = new();
    private readonly TaskCompletionSource _rest = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<RawClient> _clients = [];
    private NativeServer? _server;
    private int _inside;

    public async ValueTask DisposeAsync()
    {
        _gate.Set(); // before the server, which waits for its requests
        _clients.ForEach(static client => client.Dispose());
        await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
        _gate.Dispose();
    }

    /// <param name="isFirst">Whether the requests are the first ones of their connections, of which the server has read a part before.</param>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task NewRequests_AreNotRescued(bool isFirst)
    {
        NativeThreadPool pool = await ServeAsync();
        RawClient[] later = await ConnectAsync(Clients);
        if (isFirst)
        {
            long completed = pool.CompletedWorkItemCount;
            await SendAsync(later, "GET /blocks HTTP/1.1\r\nHos");
            Deadline.Until(() => pool.CompletedWorkItemCount - completed >= Clients);
        }
        else
        {
            await SendAsync(later, "GET /place" + Head + "\r\n");
            Assert.All(await AnswersAsync(later), static answer => Assert.Contains("<limited>", answer, StringComparison.Ordinal));
        }

        RawClient[] first = await ConnectAsync(AtTheLimit);
        await SendAsync(first, "GET /blocks" + Head + "\r\n");
        Deadline.Until(() => _inside == AtTheLimit && pool.PendingWorkItemCount == 0);
        await SendAsync(later, isFirst ? "t: x\r\n\r\n" : "GET /blocks" + Head + "\r\n");
        Deadline.Until(() => pool.PendingWorkItemCount == Clients);
        using (var isRescued = new ManualResetEventSlim())
        {
            pool.UnsafeQueueContinuation(static isRescued => isRescued.Set(), isRescued, preferLocal: false);
            Deadline.Wait(isRescued);
        }

        Assert.Equal(AtTheLimit, _inside);
        _gate.Set();
        await AssertAnsweredAsync([.. first, .. later]);
    }

    [Fact]
    public async Task ReadsOfABody_AreRescued()
    {
        NativeThreadPool pool = await ServeAsync();
        RawClient[] clients = await ConnectAsync(Clients);
        await SendAsync(clients, "GET /place" + Head + "\r\n");
        await AssertAnsweredAsync(clients);

        await SendAsync(clients, $"POST /reads{Head}Content-Length: {Begin.Length + Rest.Length}\r\n\r\n{Begin}");
        Deadline.Until(() => pool.BlockedThreadCount >= MaxBlocked && _inside >= AtTheLimit);
        await SendAsync(clients, Rest);

        await AssertAnsweredAsync(clients);
    }

    [Fact]
    public async Task ReadsOfHttp2_AreRescued()
    {
        NativeThreadPool pool = await ServeAsync(HttpProtocols.Http2);
        using var client = new HttpClient
        {
            BaseAddress = _server!.Address,
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = Deadline.Time,
        };
        using var content = new SlowContent(_rest.Task);
        Task<HttpResponseMessage>[] answers = [.. Enumerable.Range(0, Clients).Select(_ => client.PostAsync(new Uri("/reads-on-the-pool", UriKind.Relative), content))];
        Deadline.Until(() => pool.BlockedThreadCount >= MaxBlocked && _inside >= AtTheLimit);
        _rest.SetResult();

        foreach (HttpResponseMessage answer in await Deadline.For(Task.WhenAll(answers)))
        {
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            answer.Dispose();
        }
    }

    [Fact]
    public async Task ReadsOfAConnectionHandler_AreRescued()
    {
        _server = await NativeServer.HandleAsync(HandleAsync, Configure, services: Services);
        NativeThreadPool pool = _server.Services.GetRequiredKeyedService<NativeThreadPool>(Pool);
        RawClient[] clients = await ConnectAsync(Clients);
        await SendAsync(clients, Begin);
        Deadline.Until(() => pool.BlockedThreadCount >= MaxBlocked && _inside >= AtTheLimit);
        await SendAsync(clients, Rest);

        Assert.All(await AnswersAsync(clients, ends: "done"), static answer => Assert.Equal("done", answer));

        async Task HandleAsync(ConnectionContext connection)
        {
            PipeReader input = connection.Transport.Input;
            ReadOnlySequence<byte> begin = (await input.ReadAsync()).Buffer;
            input.AdvanceTo(begin.GetPosition(Begin.Length)); // the rest may be there already, if the handler has waited for a thread
            Interlocked.Increment(ref _inside);
            ReadResult read = input.ReadAsync().AsTask().GetAwaiter().GetResult();
            string rest = Encoding.ASCII.GetString(read.Buffer.ToArray());
            input.AdvanceTo(read.Buffer.End);
            await connection.Transport.Output.WriteAsync(rest == Rest ? "done"u8.ToArray() : "lost"u8.ToArray());
        }
    }

    private static void Configure(NativeTransportOptions options) => (options.Requests, options.PoolName) = (NativeTransportRequests.Pool, Pool);

    private static void Services(IServiceCollection services) =>
        services.AddNativeThreadPool(Pool, static options => (options.MaxThreads, options.MaxBlockedThreads) = (MaxThreads, MaxBlocked));

    private static Task SendAsync(RawClient[] clients, string text) => Task.WhenAll(clients.Select(client => client.SendAsync(text)));

    private static Task<string[]> AnswersAsync(RawClient[] clients, string ends = "\r\n0\r\n\r\n") =>
        Task.WhenAll(clients.Select(client => client.ReadThroughAsync(ends)));

    private static async Task AssertAnsweredAsync(RawClient[] clients) =>
        Assert.All(await AnswersAsync(clients), static answer => Assert.StartsWith("HTTP/1.1 200 ", answer, StringComparison.Ordinal));

    private async Task<NativeThreadPool> ServeAsync(HttpProtocols protocols = HttpProtocols.Http1)
    {
        _server = await NativeServer.ServeAsync(
            app =>
            {
                app.MapGet("/place", static () => Places.Mine);
                app.MapGet("/blocks", () =>
                {
                    Interlocked.Increment(ref _inside);
                    Deadline.Wait(_gate);
                    return Places.Mine;
                });
                app.MapPost("/reads", ReadSynchronously);
                app.MapPost("/reads-on-the-pool", ReadSynchronously).RunOnNativeThreadPool(Pool); // Kestrel starts requests of HTTP/2 elsewhere
            },
            Configure,
            protocols,
            static options => options.Limits.MinRequestBodyDataRate = null,
            Services);
        return _server.Services.GetRequiredKeyedService<NativeThreadPool>(Pool);
    }

    private string ReadSynchronously(HttpContext context)
    {
        context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true;
        using var reader = new StreamReader(context.Request.Body, Encoding.ASCII);
        Interlocked.Increment(ref _inside);
        return reader.ReadToEnd();
    }

    private async Task<RawClient[]> ConnectAsync(int count)
    {
        RawClient[] clients = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => _server!.ConnectAsync()));
        _clients.AddRange(clients);
        return clients;
    }

    private sealed class SlowContent(Task rest) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(Encoding.ASCII.GetBytes(Begin));
            await stream.FlushAsync();
            await rest;
            await stream.WriteAsync(Encoding.ASCII.GetBytes(Rest));
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
