using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>The table of docs/reference/where-code-runs.md: where code of a handler continues, per protocol (T103, T109).</summary>
public sealed class WhereTests
{
    private const string Pool = "reports";

    private static readonly Dictionary<string, (Func<HttpContext, Task<string>> Step, string Expected)> s_cases = new()
    {
        ["start of the handler"] = (_ => Task.FromResult(Where.AmI), Pool),
        ["await of a task"] = (async context =>
        {
            var pool = context.RequestServices.GetRequiredKeyedService<NativeThreadPool>(Pool);
            await Task.Run(() => Deadline.Until(() => pool.CompletedWorkItemCount != 0)); // the handler has left its thread: it awaits
            return Where.AmI;
        }, Pool),
        ["await of a ValueTask"] = (async _ =>
        {
            await Elsewhere.CompleteAsync();
            return Where.AmI;
        }, Pool),
        ["await with ConfigureAwait(false)"] = (async _ =>
        {
            await Elsewhere.CompleteAsync().ConfigureAwait(false);
            return Where.AmI;
        }, Where.Runtime),
        ["the caller of a method that does so"] = (async _ =>
        {
            await LibraryAsync();
            return Where.AmI;
        }, Pool),
        ["Task.Run"] = (_ => Task.Run(() => Where.AmI), Where.Runtime),
        ["Task.Factory.StartNew without a scheduler"] = (_ => Task.Factory.StartNew(() => Where.AmI), Where.Runtime),
        ["ContinueWith without a scheduler"] = (_ => Task.CompletedTask.ContinueWith(_ => Where.AmI), Where.Runtime),
        ["after Task.Run"] = (async _ =>
        {
            await Task.Run(static () => { });
            return Where.AmI;
        }, Pool),
        ["after reading the body"] = (async context =>
        {
            using var reader = new StreamReader(context.Request.Body);
            await reader.ReadToEndAsync();
            return Where.AmI;
        }, Pool),
        ["after Response.WriteAsync and FlushAsync"] = (async context =>
        {
            await context.Response.WriteAsync(" ");
            await context.Response.Body.FlushAsync();
            return Where.AmI;
        }, Pool),
    };

    public static TheoryData<string, HttpProtocols> Cases()
    {
        var cases = new TheoryData<string, HttpProtocols>();
        foreach (string name in s_cases.Keys)
        {
            cases.Add(name, HttpProtocols.Http1);
            cases.Add(name, HttpProtocols.Http2);
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task T103_T109_CodeGoesOnWhereTheTableSays(string name, HttpProtocols protocol)
    {
        (Func<HttpContext, Task<string>> step, string expected) = s_cases[name];
        await using TestApp app = await TestApp.StartKestrelAsync(
            app => app.MapPost("/", async (HttpContext context) => await context.Response.WriteAsync(await step(context))).RunOnNativeThreadPool(Pool),
            protocols: protocol);

        // The body comes in two parts, the second one when the handler has left its thread, or has ended.
        using var content = new TwoParts(() => app.Reports.CompletedWorkItemCount != 0);
        using HttpResponseMessage response = await Deadline.For(app.Client.PostAsync(new Uri("/", UriKind.Relative), content));

        Assert.Equal(expected, (await response.Content.ReadAsStringAsync()).Trim());
    }

    /// <summary>A pipe's awaiter knows synchronization contexts, but no task schedulers; whether it looks for one is the pipe's option.</summary>
    [Theory]
    [InlineData(true, Pool)]
    [InlineData(false, Where.Runtime)]
    public async Task T103_DirectAwaitsOfPipes_GoOnWhereThePipeSays(bool useSynchronizationContext, string expected)
    {
        var pipe = new System.IO.Pipelines.Pipe(new System.IO.Pipelines.PipeOptions(useSynchronizationContext: useSynchronizationContext));
        await using TestApp app = await TestApp.StartKestrelAsync(app => app.MapGet("/", async () =>
        {
            await pipe.Reader.ReadAsync();
            return Where.AmI;
        }).RunOnNativeThreadPool(Pool));

        Task<string> answer = app.GetAsync("/");
        Deadline.Until(() => app.Reports.CompletedWorkItemCount != 0); // the handler has left its thread: it awaits
        await pipe.Writer.CompleteAsync();

        Assert.Equal(expected, await answer);
    }

    [Fact]
    public async Task T106_NewRequestsStillPassTheRuntimesPool()
    {
        // What the route does not promise: Kestrel reads requests on the built-in pool.
        var places = new ConcurrentBag<string>();
        await using TestApp app = await TestApp.StartKestrelAsync(app =>
        {
            app.Use((context, next) =>
            {
                places.Add(Where.AmI);
                return next(context);
            });
            app.MapGet("/", () => Where.AmI).RunOnNativeThreadPool(Pool);
        });

        Assert.Equal(Pool, await app.GetAsync("/"));
        Assert.Equal([Where.Runtime], places);
    }

    private static async Task LibraryAsync() => await Elsewhere.CompleteAsync().ConfigureAwait(false);

    private sealed class TwoParts(Func<bool> isSecondDue) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, System.Net.TransportContext? context)
        {
            await stream.WriteAsync(new byte[10]);
            await stream.FlushAsync();
            Deadline.Until(isSecondDue);
            await stream.WriteAsync(new byte[10]);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
