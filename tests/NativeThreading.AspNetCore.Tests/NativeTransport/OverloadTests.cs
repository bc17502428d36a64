using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>
/// More requests at once than the transport's own pool may have blocked threads, to handlers that block until other work of that pool has run.
/// The server answers each request, and after the clients have left it answers all endpoints in their usual time.
/// </summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
[SuppressMessage("Usage", "VSTHRD002", Justification = "The tests are about handlers that block.")]
public sealed class OverloadTests
{
    private const int FewBlocked = 8, Default = 0, BodyLength = 1_000;
    private const string HeadOfUpload = "POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", Begin = "begin", EndOfHead = "\r\n\r\n";

    private static readonly TimeSpan s_untilAnswered = TimeSpan.FromSeconds(15), s_untilRecovered = TimeSpan.FromSeconds(2), s_untilStopped = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(200); // of each request to /waits
    private static readonly TimeSpan s_usual = TimeSpan.FromMilliseconds(500); // more than a request takes on a machine that is busy with other things

    private int _started;

    /// <summary>The number of requests at once, and the limit of blocked threads. The long run has the numbers that services meet.</summary>
    public static TheoryData<int, int> Requests => Soak.IsLong
        ? new() { { 30, FewBlocked }, { 1_100, Default }, { 1_500, Default }, { 5_000, Default } }
        : new() { { 30, FewBlocked } };

    /// <inheritdoc cref="Requests"/>
    public static TheoryData<int, int> Uploads => Soak.IsLong ? new() { { 15, FewBlocked }, { 1_050, Default } } : new() { { 15, FewBlocked } };

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task RequestsWhoseHandlerBlocksOnItsContinuation_AreAllAnswered(int requests, int maxBlocked)
    {
        NativeServer server = await ServeAsync(maxBlocked);
        RawClient[] clients = await ConnectAsync(server, requests);
        long asked = Stopwatch.GetTimestamp();
        await SendAsync(clients, "GET /waits HTTP/1.1\r\nHost: x\r\n\r\n");

        await AssertAnsweredAsync(clients, asked);
        await AssertRecoversAsync(server, clients);
    }

    [Theory]
    [MemberData(nameof(Requests))]
    public async Task RequestsWhoseHandlerBlocksOnItsContinuation_HoldUpNothing_AfterTheirClientsHaveLeft(int requests, int maxBlocked)
    {
        NativeServer server = await ServeAsync(maxBlocked);
        RawClient[] clients = await ConnectAsync(server, requests);
        await SendAsync(clients, "GET /waits HTTP/1.1\r\nHost: x\r\n\r\n");
        AwaitLimit(server);

        await AssertRecoversAsync(server, clients);
    }

    [Theory]
    [MemberData(nameof(Uploads))]
    public async Task SlowUploadsToAHandlerThatReadsSynchronously_AreAllAnswered(int uploads, int maxBlocked)
    {
        NativeServer server = await ServeAsync(maxBlocked);
        RawClient[] clients = await ConnectAsync(server, uploads);
        await SendAsync(clients, HeadOfUpload + Begin);
        AwaitLimit(server);

        long sent = Stopwatch.GetTimestamp();
        await SendAsync(clients, new string('.', BodyLength - Begin.Length));
        await AssertAnsweredAsync(clients, sent);
        await AssertRecoversAsync(server, clients);
    }

    [Theory]
    [MemberData(nameof(Uploads))]
    public async Task SlowUploadsToAHandlerThatReadsSynchronously_HoldUpNothing_AfterTheirClientsHaveLeft(int uploads, int maxBlocked)
    {
        NativeServer server = await ServeAsync(maxBlocked);
        RawClient[] clients = await ConnectAsync(server, uploads);
        await SendAsync(clients, HeadOfUpload + Begin);
        AwaitLimit(server);

        await AssertRecoversAsync(server, clients);
    }

    /// <summary>On loops, whose limit the transport sets: the long run reaches it.</summary>
    [Fact]
    public async Task RequestsOnLoopsWhoseHandlerBlocksOnItsContinuation_AreAllAnswered()
    {
        NativeServer server = await ServeAsync(Default, NativeTransportRequests.Loops);
        RawClient[] clients = await ConnectAsync(server, Soak.IsLong ? 1_500 : 30);
        long asked = Stopwatch.GetTimestamp();
        await SendAsync(clients, "GET /waits HTTP/1.1\r\nHost: x\r\n\r\n");

        await AssertAnsweredAsync(clients, asked);
        await AssertRecoversAsync(server, clients);
    }

    private static Task SendAsync(RawClient[] clients, string text) => Task.WhenAll(clients.Select(client => client.SendAsync(text)));

    /// <summary>Waits until as many handlers have started as may block at once. They block at once, too.</summary>
    private void AwaitLimit(NativeServer server)
    {
        int limit = Pool(server).MaxBlockedThreads;
        Deadline.Until(() => Volatile.Read(ref _started) >= limit, () => $"{_started} handlers have started");
    }

    private static async Task AssertAnsweredAsync(RawClient[] clients, long asked)
    {
        string[] answers = await Task.WhenAll(clients.Select(static client => client.ReadThroughAsync(EndOfHead)));
        TimeSpan took = Stopwatch.GetElapsedTime(asked);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{answers.Length} answers within {took}, {answers.Count(static answer => answer.StartsWith("HTTP/1.1 503 ", StringComparison.Ordinal))} of them rejections");
        Assert.All(answers, static answer => Assert.Matches("^HTTP/1.1 (200|503) ", answer));
        Assert.Contains(answers, static answer => answer.StartsWith("HTTP/1.1 200 ", StringComparison.Ordinal));
        Assert.True(took < s_untilAnswered, $"The last answer came after {took}.");
    }

    /// <summary>The clients leave. Then all endpoints answer in their usual time, threads go back, and the server stops.</summary>
    private static async Task AssertRecoversAsync(NativeServer server, RawClient[] clients)
    {
        Array.ForEach(clients, static client => client.Reset());
        long left = Stopwatch.GetTimestamp();
        TimeSpan recovered;
        do
        {
            bool isUsual = await AnswersWithinAsync(server, "/new", s_usual) && await AnswersWithinAsync(server, "/waits", s_wait + s_usual);
            recovered = isUsual ? Stopwatch.GetElapsedTime(left) : TimeSpan.MaxValue;
        }
        while (recovered == TimeSpan.MaxValue && Stopwatch.GetElapsedTime(left) < Deadline.Time);

        NativeThreadPool pool = Pool(server);
        Deadline.Until(
            () => pool is { BlockedThreadCount: 0, RescueThreadCount: 0 } && pool.ThreadCount <= pool.MaxThreads,
            () => $"{pool.BlockedThreadCount} blocked threads, {pool.RescueThreadCount} rescue threads, {pool.ThreadCount} threads");
        TimeSpan gone = Stopwatch.GetElapsedTime(left);
        long stop = Stopwatch.GetTimestamp();
        await server.DisposeAsync();
        TimeSpan stopped = Stopwatch.GetElapsedTime(stop);
        TestContext.Current.TestOutputHelper?.WriteLine($"recovered after {recovered}, threads gone after {gone}, stopped within {stopped}");
        Assert.True(recovered < s_untilRecovered, $"All endpoints answered in their usual time only after {recovered}.");
        Assert.True(stopped < s_untilStopped, $"The stop took {stopped}.");
    }

    private static async Task<bool> AnswersWithinAsync(NativeServer server, string path, TimeSpan time)
    {
        using RawClient client = await server.ConnectAsync();
        long asked = Stopwatch.GetTimestamp();
        string answer = await client.GetAsync(path, EndOfHead);
        return answer.StartsWith("HTTP/1.1 200 ", StringComparison.Ordinal) && Stopwatch.GetElapsedTime(asked) < time;
    }

    private static NativeThreadPool Pool(NativeServer server) => server.Services.GetRequiredService<AdaptiveRequests>().Pool;

    private Task<NativeServer> ServeAsync(
        int maxBlocked, NativeTransportRequests requests = NativeTransportRequests.Adaptive) => NativeServer.ServeAsync(
        app =>
        {
            app.MapGet("/waits", () =>
            {
                Interlocked.Increment(ref _started);
                return LaterAsync().Result;
            });
            app.MapPost("/reads", (HttpContext context) =>
            {
                Interlocked.Increment(ref _started);
                context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true;
                using var reader = new StreamReader(context.Request.Body, Encoding.ASCII);
                return reader.ReadToEnd();
            });
            app.MapGet("/new", static () => Places.Mine);
        },
        options =>
        {
            options.Requests = requests;
            options.DefaultPool.IdleTimeout = TimeSpan.FromSeconds(1); // or threads would stay for 20 seconds
            if (maxBlocked != Default)
            {
                options.DefaultPool.MaxBlockedThreads = maxBlocked;
            }
        },
        kestrel: static options => options.Limits.MinRequestBodyDataRate = null);

    /// <summary>Continues on the pool that its caller blocks a thread of.</summary>
    private static async Task<string> LaterAsync()
    {
        await Task.Delay(s_wait);
        return "<done>";
    }

    private static async Task<RawClient[]> ConnectAsync(NativeServer server, int count)
    {
        var clients = new List<RawClient>();
        foreach (int[] some in Enumerable.Range(0, count).Chunk(200)) // fewer than the backlog
        {
            clients.AddRange(await Task.WhenAll(some.Select(_ => server.ConnectAsync())));
        }

        return [.. clients];
    }
}
