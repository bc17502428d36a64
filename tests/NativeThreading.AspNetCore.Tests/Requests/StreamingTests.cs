using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>Responses and request bodies that come in parts.</summary>
public sealed class StreamingTests
{
    [Fact]
    public async Task WrittenParts_ArriveWhileTheHandlerRuns()
    {
        var more = new SemaphoreSlim(0);
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/", async (HttpContext context) =>
        {
            for (int i = 0; i < 3; i++)
            {
                await context.Response.WriteAsync($"{Where.AmI}\n");
                await context.Response.Body.FlushAsync();
                await more.WaitAsync();
            }
        }).RunOnNativeThreadPool("reports"));

        using HttpResponseMessage response = await Deadline.For(
            app.Client.GetAsync(new Uri("/", UriKind.Relative), HttpCompletionOption.ResponseHeadersRead));
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync());
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("reports", await Deadline.For(reader.ReadLineAsync())); // and only then the next part is written
            more.Release();
        }

        Assert.Null(await Deadline.For(reader.ReadLineAsync()));
    }

    // T109: the JSON serializer awaits with ConfigureAwait(false), and moves the rest on from there.
    [Fact]
    public async Task T109_AsyncEnumerableResult_LeavesThePoolAfterItsFirstAwait()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapGet("/", PlacesAsync).RunOnNativeThreadPool("reports"), reports: static options => options.MaxThreads = 1);

        Assert.Equal("""["reports","runtime","runtime"]""", await app.GetAsync("/"));

        static async IAsyncEnumerable<string> PlacesAsync([FromKeyedServices("reports")] NativeThreadPool pool)
        {
            // The pool's one thread comes to this when it has left the serializer, which then awaits what is incomplete.
            await pool.Run(static () => { });
            yield return Where.AmI;
            for (int i = 0; i < 2; i++)
            {
                await Elsewhere.CompleteAsync();
                yield return Where.AmI;
            }
        }
    }

    [Fact]
    public async Task AsyncEnumerable_ThatSwitchesEachTime_StaysOnThePool()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/", PlacesAsync).RunOnNativeThreadPool("reports"));

        Assert.Equal("""["reports","reports","reports"]""", await app.GetAsync("/"));

        static async IAsyncEnumerable<string> PlacesAsync([FromKeyedServices("reports")] NativeThreadPool pool)
        {
            for (int i = 0; i < 3; i++)
            {
                await pool.SwitchTo();
                await Elsewhere.CompleteAsync();
                yield return Where.AmI;
            }
        }
    }

    [Fact]
    public async Task RequestBody_IsReadOnThePool()
    {
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapPost("/", async (HttpContext context) =>
        {
            byte[] buffer = new byte[64 * 1024];
            long total = 0;
            var places = new HashSet<string>();
            while (await context.Request.Body.ReadAsync(buffer) is > 0 and int read)
            {
                total += read;
                places.Add(Where.AmI);
            }

            return $"{total} {string.Join(' ', places)}";
        }).RunOnNativeThreadPool("reports"));

        using var body = new StreamContent(new MemoryStream(new byte[5_000_000]));
        using HttpResponseMessage response = await Deadline.For(app.Client.PostAsync(new Uri("/", UriKind.Relative), body));

        Assert.Equal("5000000 reports", await response.Content.ReadAsStringAsync());
    }
}
