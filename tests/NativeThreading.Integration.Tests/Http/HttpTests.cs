using System.Net;
using System.Net.Sockets;
using NativeThreading.Integration.Servers;

namespace NativeThreading.Integration.Http;

/// <summary>HttpClient on the pool against Kestrel.</summary>
public sealed class HttpTests(LoopbackServer server) : PoolTest, IClassFixture<LoopbackServer>
{
    public static TheoryData<string> Versions() => ["1.1", "2.0"];

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task T109_ThousandRequests_EachAnsweredOnceAndEveryAwaitResumesOnThePool(string version)
    {
        using HttpClient client = server.Client(new(version));
        int[] answers = await Pool.StormAsync(Operations, async i =>
        {
            using HttpResponseMessage response = await client.GetAsync(new Uri($"/number/{i}", UriKind.Relative));
            Trace.Note();
            Assert.Equal(new(version), response.Version);
            string answer = await response.Content.ReadAsStringAsync();
            Trace.Note();
            return int.Parse(answer, null);
        });
        Assert.Equal(Enumerable.Range(0, Operations), answers);
        Trace.AssertOnThePool(2 * Operations);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task StreamedBodies_ArriveWholeOnThePool(string version)
    {
        const int Streams = 50;
        const int Lines = 100;
        using HttpClient client = server.Client(new(version));
        await Pool.StormAsync(Streams, async _ =>
        {
            await using Stream body = await client.GetStreamAsync(new Uri($"/lines/{Lines}", UriKind.Relative));
            using var reader = new StreamReader(body);
            for (int i = 0; i < Lines; i++)
            {
                Assert.Equal($"{i}", await reader.ReadLineAsync());
                Trace.Note();
            }

            Assert.Null(await reader.ReadLineAsync());
        });
        Trace.AssertOnThePool(Streams * Lines);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Uploads_ComeBackAsTheyWereSent(string version)
    {
        const int Uploads = 50;
        using HttpClient client = server.Client(new(version));
        await Pool.StormAsync(Uploads, async i =>
        {
            byte[] sent = new byte[20_000];
            new Random(i).NextBytes(sent);
            using var content = new ByteArrayContent(sent);
            using HttpResponseMessage response = await client.PostAsync(new Uri("/echo", UriKind.Relative), content);
            Trace.Note();
            Assert.Equal(sent, await response.Content.ReadAsByteArrayAsync());
            Trace.Note();
        });
        Trace.AssertOnThePool(2 * Uploads);
    }

    [Fact]
    public async Task BlockingRequests_RunOnThePoolEachOnce()
    {
        using HttpClient client = server.Client(HttpVersion.Version11);
        var ledger = new Ledger(200);
        Task[] requests = [.. Enumerable.Range(0, 200).Select(i => Pool.Run(() =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri($"/number/{i}", UriKind.Relative));
            using HttpResponseMessage response = client.Send(request);
            using var body = new StreamReader(response.Content.ReadAsStream());
            ledger.Enter(int.Parse(body.ReadToEnd(), null));
            Trace.Note();
        }))];
        await Deadline.For(Task.WhenAll(requests));
        ledger.AssertEachOnce();
        Trace.AssertOnThePool(200);
    }

    [Fact]
    public async Task T111_SyncOverAsync_EndsOnThePool()
    {
        using HttpClient client = server.Client(HttpVersion.Version11);
        Task<int>[] requests = [.. Enumerable.Range(0, 100).Select(i => Pool.Run(() => NumberAsync(i).Result))];
        Assert.Equal(Enumerable.Range(0, 100), await Deadline.For(Task.WhenAll(requests)));
        Trace.AssertOnThePool(100);

        async Task<int> NumberAsync(int i)
        {
            string answer = await client.GetStringAsync(new Uri($"/number/{i}", UriKind.Relative));
            Trace.Note();
            return int.Parse(answer, null);
        }
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Failures_AreThrownAtTheAwaitOnThePool(string version)
    {
        using HttpClient client = server.Client(new(version));
        HttpStatusCode?[] codes = await Pool.StormAsync(Operations, async _ =>
        {
            HttpRequestException exception = await Assert.ThrowsAsync<HttpRequestException>(
                () => client.GetStringAsync(new Uri("/fail", UriKind.Relative)));
            Trace.Note();
            return exception.StatusCode;
        });
        Assert.All(codes, code => Assert.Equal(HttpStatusCode.InternalServerError, code));
        await Pool.StormAsync(20, async _ =>
        {
            await Assert.ThrowsAnyAsync<Exception>(() => client.GetStringAsync(new Uri("/cut", UriKind.Relative)));
            Trace.Note();
        });
        Trace.AssertOnThePool(Operations + 20);
    }

    [Fact]
    public async Task RefusedConnections_FailOnThePool()
    {
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{FreePort.Find()}") };
        await Pool.StormAsync(50, async _ =>
        {
            HttpRequestException exception = await Assert.ThrowsAsync<HttpRequestException>(() => client.GetStringAsync(new Uri("/", UriKind.Relative)));
            Trace.Note();
            Assert.Equal(SocketError.ConnectionRefused, Assert.IsType<SocketException>(exception.InnerException).SocketErrorCode);
        });
        Trace.AssertOnThePool(50);
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task CancelledRequests_EndOnThePoolAndAbortTheirHandlers(string version)
    {
        const int Requests = 60; // each has a connection of its own with HTTP/1.1
        using HttpClient client = server.Client(new(version));
        using var cancellation = new CancellationTokenSource();
        int before = server.EnteredCount;
        Task storm = Pool.StormAsync(Requests, async _ =>
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => client.GetAsync(new Uri("/never", UriKind.Relative), cancellation.Token));
            Trace.Note();
        });
        Deadline.Until(() => server.EnteredCount == before + Requests, "every request has come to its handler");
        await cancellation.CancelAsync();
        await storm;
        Trace.AssertOnThePool(Requests);
        Deadline.Until(() => server.AbortedCount == server.EnteredCount, "every handler has ended");
    }

    [Fact]
    public async Task RepeatedRounds_LeaveNothingBehind()
    {
        using HttpClient client = server.Client(HttpVersion.Version11);
        await Growth.AssertNoneAsync(Operations, held => Pool.StormAsync(held.Length, async i =>
        {
            object token = held[i];
            Assert.Equal($"{i}", await client.GetStringAsync(new Uri($"/number/{i}", UriKind.Relative)));
            GC.KeepAlive(token);
        }));
    }
}
