using System.Diagnostics.CodeAnalysis;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>What a handler throws reaches the middleware as it was thrown: the same object, with its stack.</summary>
public sealed class ExceptionTests
{
    private static readonly Dictionary<string, Exception> s_exceptions = new()
    {
        ["any"] = new InvalidDataException("data"),
        ["cancellation"] = new OperationCanceledException("cancelled"),
        ["cancelled task"] = new TaskCanceledException("cancelled"),
        ["aggregate"] = new AggregateException("many", new InvalidDataException("one"), new InvalidDataException("two")),
        ["bad request"] = new BadHttpRequestException("bad", StatusCodes.Status418ImATeapot),
        ["like a pool's refusal"] = new ObjectDisposedException("something of the handler's"),
    };

    public static TheoryData<string> Exceptions() => new(s_exceptions.Keys);

    [Theory]
    [MemberData(nameof(Exceptions))]
    public async Task ThrownAtOnce(string kind) => await ReachesTheMiddlewareAsync(s_exceptions[kind], _ => throw s_exceptions[kind]);

    [Theory]
    [MemberData(nameof(Exceptions))]
    public async Task ThrownLater(string kind) => await ReachesTheMiddlewareAsync(s_exceptions[kind], async _ =>
    {
        await Elsewhere.CompleteAsync();
        throw s_exceptions[kind];
    });

    [Fact]
    public async Task ManyOfOneTask_TheFirstIsThrown_AsAnAwaitDoes()
    {
        var first = new InvalidDataException("first");
        await ReachesTheMiddlewareAsync(first, _ => Task.WhenAll(Task.FromException(first), Task.FromException(new InvalidDataException("second"))));
    }

    [Fact]
    public async Task StackTrace_NamesTheHandler()
    {
        Exception? seen = null;
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                seen = await Record.ExceptionAsync(() => next(context));
            });
            app.MapGet("/", Thrower).RunOnNativeThreadPool("reports");
        });

        await app.SendAsync("/");

        Assert.Contains(nameof(Thrower), Assert.IsType<InvalidDataException>(seen).StackTrace, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ExceptionHandler_AnswersIt()
    {
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.UseExceptionHandler(handler => handler.Run(async context =>
            {
                Exception error = context.Features.Get<IExceptionHandlerFeature>()!.Error;
                await context.Response.WriteAsync($"{error.GetType().Name} {Where.AmI}");
            }));
            app.MapGet("/", Thrower).RunOnNativeThreadPool("reports");
        });

        using HttpResponseMessage response = await app.SendAsync("/");

        Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        Assert.Equal("InvalidDataException runtime", await response.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task Pool_GoesOnAfterwards()
    {
        await using TestApp app = await TestApp.StartAsync(
            app =>
            {
                app.UseExceptionHandler(handler => handler.Run(_ => Task.CompletedTask));
                app.MapGet("/bad", Thrower).RunOnNativeThreadPool("reports");
                app.MapGet("/good", () => Where.AmI).RunOnNativeThreadPool("reports");
            },
            reports: options => options.MaxThreads = 1);

        for (int i = 0; i < 10; i++)
        {
            using HttpResponseMessage response = await app.SendAsync("/bad");
            Assert.Equal(HttpStatusCode.InternalServerError, response.StatusCode);
        }

        Assert.Equal("reports", await app.GetAsync("/good"));
    }

    [SuppressMessage("Performance", "CA1822", Justification = "A handler.")]
    private static string Thrower() => throw new InvalidDataException("data");

    private static async Task ReachesTheMiddlewareAsync(Exception exception, RequestDelegate handler)
    {
        Exception? seen = null;
        int status = 0;
        await using TestApp app = await TestApp.StartAsync(app =>
        {
            app.Use(async (context, next) =>
            {
                seen = await Record.ExceptionAsync(() => next(context));
                status = context.Response.StatusCode;
            });
            app.MapGet("/", handler).RunOnNativeThreadPool("reports");
        });

        await app.SendAsync("/");

        Assert.Same(exception, seen);
        Assert.Equal(StatusCodes.Status200OK, status); // no other component answered in the handler's place
    }
}
