using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>The transport's own pool: its options, and what becomes of requests while it is at its limit.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class OwnPoolTests : IAsyncDisposable
{
    private const int MaxBlocked = 2;
    private const string Blocks = "GET /blocks HTTP/1.1\r\nHost: x\r\n\r\n", Rejected = "HTTP/1.1 503 ", End = "\r\n\r\n";

    private readonly ManualResetEventSlim _gate = new();
    private readonly List<RawClient> _clients = [];
    private readonly List<Task<string>> _answers = [];
    private NativeServer? _server;
    private int _inside;

    public async ValueTask DisposeAsync()
    {
        _gate.Set(); // before the server ends, which waits for its requests
        await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
        _clients.ForEach(static client => client.Dispose());
        _gate.Dispose();
    }

    [Fact]
    public async Task AtTheLimit_AfterASecond_NewRequestsGet503_AndEverythingElseGoesOn()
    {
        NativeServer server = await ServeAsync();
        string rejected = await ReachTheLimitAsync(server);
        for (int attempt = 1; await PlaceAsync(server, "/") is var place && place != Places.Loop; attempt++)
        {
            // A busy machine may have sent the proven endpoint back to the pool, where it is rejected like the others.
            Assert.True(place == Rejected && attempt < 5, $"{place}, attempt {attempt}");
            _gate.Set();
            await Deadline.For(Task.WhenAll(_answers));
            _answers.Clear();
            _gate.Reset();
            _inside = 0;
            rejected = await ReachTheLimitAsync(server);
        }

        Assert.Contains("\r\nRetry-After: 7\r\n", rejected, StringComparison.Ordinal);
        server.Records.WaitFor(TransportRecords.RejectedAtTheLimit);
        Assert.All(server.Records.Texts(TransportRecords.RejectedAtTheLimit), static text => Assert.Contains("'own'", text, StringComparison.Ordinal));
        Assert.EndsWith(" in NativeTransportOptions.DefaultPool.", server.Records.Texts(TransportRecords.RejectedAtTheLimit).First(), StringComparison.Ordinal); // no suppressed ones yet
        Assert.Equal("<requests>", await GetAsync(server, "/named")); // on a pool that has a name
        int inside = Volatile.Read(ref _inside);

        _gate.Set();
        Assert.All(await Deadline.For(Task.WhenAll(_answers)), static answer => Assert.StartsWith("HTTP/1.1 200 ", answer, StringComparison.Ordinal));
        Assert.Equal(MaxBlocked + 1, inside);
        Assert.Equal("<own>", await GetAsync(server, "/new")); // as if nothing had been
    }

    [Fact]
    public async Task WhereTheOptionTurnsItOff_RequestsWait()
    {
        NativeServer server = await ServeAsync(static options => options.RejectsAtTheLimit = false);
        await AskUntilProvenAsync(server);
        await FillAsync(server);
        Task<string> later = await AskAsync(server, Blocks);
        await Task.WhenAny(later, Task.Delay(TimeSpan.FromSeconds(2))); // in which the other one would be rejected
        later = await AskAsync(server, Blocks);

        _gate.Set();
        Assert.StartsWith("HTTP/1.1 200 ", await Deadline.For(later), StringComparison.Ordinal);
        Assert.Equal(0, server.Records.Count(TransportRecords.RejectedAtTheLimit));
    }

    [Fact]
    public async Task QueueLimit_RejectsAtOnce()
    {
        NativeServer server = await ServeAsync(static options =>
        {
            options.DefaultPool.QueueLimit = 1;
            options.DefaultPool.QueueFullMode = QueueFullMode.Wait;
        });
        await AskUntilProvenAsync(server);
        await FillAsync(server);

        Assert.StartsWith(Rejected, await AskUntilRejectedAsync(server), StringComparison.Ordinal);
        _gate.Set();
    }

    [Theory]
    [InlineData(0, 1_000, "MaxThreads")]
    [InlineData(1, -1, "MaxBlockedThreads")]
    public async Task OptionOutOfItsRange_FailsAtStartup(int maxThreads, int maxBlockedThreads, string name)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => NativeServer.ServeAsync(
            _ => { }, options => (options.DefaultPool.MaxThreads, options.DefaultPool.MaxBlockedThreads) = (maxThreads, maxBlockedThreads)));

        Assert.Contains($"DefaultPool of the native transport: {name}", exception.Message, StringComparison.Ordinal);
    }

    private async Task<NativeServer> ServeAsync(Action<NativeTransportOptions>? configure = null) => _server = await NativeServer.ServeAsync(
        app =>
        {
            app.MapGet("/blocks", () =>
            {
                Interlocked.Increment(ref _inside);
                Deadline.Wait(_gate);
                return Places.Mine;
            });
            app.MapGet("/named", static () => Places.Mine).RunOnNativeThreadPool("requests");
            app.MapGet("/new", static () => Places.Mine);
            app.MapGet("/", static () => Places.Mine);
        },
        options =>
        {
            (options.DefaultPool.Name, options.DefaultPool.MaxThreads, options.DefaultPool.MaxBlockedThreads) = ("own", 1, MaxBlocked);
            configure?.Invoke(options);
        },
        services: static services => services.Configure<NativeThreadPoolRequestOptions>("own", static options => options.RetryAfter = TimeSpan.FromSeconds(7)));

    /// <summary>All threads that there may be are blocked, and one request waits.</summary>
    private async Task FillAsync(NativeServer server)
    {
        for (int i = 1; i <= MaxBlocked + 1; i++)
        {
            _answers.Add(await AskAsync(server, Blocks));
            await Deadline.For(Task.Run(() => Deadline.Until(() => Volatile.Read(ref _inside) == i)));
        }

        _answers.Add(await AskAsync(server, Blocks));
    }

    private async Task<Task<string>> AskAsync(NativeServer server, string request)
    {
        RawClient client = await server.ConnectAsync();
        _clients.Add(client);
        await client.SendAsync(request);
        return client.ReadThroughAsync(End);
    }

    /// <summary>Requests that are not rejected wait with the others.</summary>
    private async Task<string> AskUntilRejectedAsync(NativeServer server)
    {
        for (long until = Environment.TickCount64 + (long)Deadline.Time.TotalMilliseconds; Environment.TickCount64 < until;)
        {
            Task<string> answer = await AskAsync(server, Blocks);
            if (await Task.WhenAny(answer, Task.Delay(100)) == answer)
            {
                Assert.StartsWith(Rejected, await answer, StringComparison.Ordinal);
                return await answer;
            }

            _answers.Add(answer);
        }

        NativeThreadPool pool = server.Services.GetRequiredService<AdaptiveRequests>().Pool;
        throw new TimeoutException(
            $"No request was rejected: {pool.BlockedThreadCount} of {pool.MaxBlockedThreads} blocked threads, {pool.PendingWorkItemCount} items, the oldest {pool.OldestWorkItemAge}.");
    }

    private async Task AskUntilProvenAsync(NativeServer server)
    {
        for (int i = 0; i < 5_000 && await GetAsync(server, "/") != Places.Loop; i++)
        {
        }
    }

    private async Task<string> ReachTheLimitAsync(NativeServer server)
    {
        await AskUntilProvenAsync(server);
        await FillAsync(server);
        return await AskUntilRejectedAsync(server);
    }

    /// <summary>Where the request ran, or how it was rejected.</summary>
    private static async Task<string> PlaceAsync(NativeServer server, string path)
    {
        using RawClient client = await server.ConnectAsync();
        string answer = await client.GetAsync(path, End);
        if (answer.StartsWith(Rejected, StringComparison.Ordinal))
        {
            return Rejected;
        }

        return AdaptiveServer.Text(answer.Contains(AdaptiveServer.LastChunk, StringComparison.Ordinal) ? answer : answer + await client.ReadThroughAsync(AdaptiveServer.LastChunk));
    }

    private async Task<string> GetAsync(NativeServer server, string path)
    {
        using RawClient client = await server.ConnectAsync();
        return AdaptiveServer.Text(await client.GetAsync(path, AdaptiveServer.LastChunk));
    }
}
