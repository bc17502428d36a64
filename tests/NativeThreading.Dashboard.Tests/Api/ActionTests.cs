using System.Net;
using System.Text.Json;
using NativeThreading.Dashboard.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Dashboard.Tests.Api;

/// <summary>What viewers may do, and not from another site.</summary>
public sealed class ActionTests
{
    private static readonly (string, string) s_header = ("X-NativeThreading", "1");

    [Theory]
    [InlineData("stacks")]
    [InlineData("reset")]
    public async Task Action_IsUnknownUnlessAllowed_AndNeedsTheHeader(string action)
    {
        await using (TestApp app = await TestApp.StartAsync())
        {
            Assert.Equal(HttpStatusCode.NotFound, await PostAsync(app, s_header));
            Assert.Equal(HttpStatusCode.NotFound, await PostAsync(app));
            using HttpResponseMessage got = await app.GetAsync($"/threads/api/v1/{action}", s_header);
            Assert.Equal(HttpStatusCode.NotFound, got.StatusCode);
        }

        await using (TestApp app = await TestApp.StartAsync(static options => options.AllowActions = true))
        {
            Assert.Equal(HttpStatusCode.BadRequest, await PostAsync(app));
            Assert.Equal(HttpStatusCode.BadRequest, await PostAsync(app, ("X-NativeThreading", "0")));
            using HttpResponseMessage got = await app.GetAsync($"/threads/api/v1/{action}", s_header);
            Assert.Equal(HttpStatusCode.MethodNotAllowed, got.StatusCode);
        }

        async Task<HttpStatusCode> PostAsync(TestApp app, params (string, string)[] headers)
        {
            using HttpResponseMessage response = await app.SendAsync(HttpMethod.Post, $"/threads/api/v1/{action}", headers);
            return response.StatusCode;
        }
    }

    [Fact]
    public async Task Stacks_TellEachWorker_AndWhetherItIsBlocked()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "stacks" });
        await using TestApp app = await TestApp.StartAsync(static options => options.AllowActions = true);
        using SampleStream stream = await app.OpenStreamAsync(); // so that items are recorded
        await stream.ReadSampleAsync();
        using var occupied = new BlockedWorkers(pool, 2);
        using HttpResponseMessage response = await app.SendAsync(HttpMethod.Post, "/threads/api/v1/stacks", s_header);
        JsonElement stacks = JsonElement.Parse(await Deadline.For(response.Content.ReadAsByteArrayAsync()));
        Assert.Equal(["version", "time", "threads"], stacks.EnumerateObject().Select(static property => property.Name));
        JsonElement[] threads = [.. stacks.GetProperty("threads").EnumerateArray().Where(static thread => thread.GetProperty("pool").GetString() == "stacks")];
        Assert.Equal(2, threads.Length);
        Assert.All(threads, static thread =>
        {
            Assert.Equal(["pool", "name", "state", "item", "waitsIn"], thread.EnumerateObject().Select(static property => property.Name));
            Assert.Equal(typeof(Occupation).FullName, thread.GetProperty("item").GetProperty("type").GetString());
        });
    }

    [Fact]
    public async Task Reset_ForgetsTheWaits()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reset" });
        await using TestApp app = await TestApp.StartAsync(static options => options.AllowActions = true);
        using SampleStream stream = await app.OpenStreamAsync();
        await stream.ReadSampleAsync();
        await Deadline.For(pool.Run(static () => { }));
        app.Pass(TestApp.Second);
        Assert.Equal(JsonValueKind.Object, Latency(await stream.ReadSampleAsync()));

        await Deadline.For(pool.Run(static () => { }));
        using HttpResponseMessage response = await app.SendAsync(HttpMethod.Post, "/threads/api/v1/reset", s_header);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        app.Pass(TestApp.Second);
        Assert.Equal(JsonValueKind.Null, Latency(await stream.ReadSampleAsync()));

        static JsonValueKind Latency(JsonElement sample) => sample.GetProperty("pools").EnumerateArray()
            .Single(static pool => pool.GetProperty("name").GetString() == "reset").GetProperty("latency").ValueKind;
    }
}
