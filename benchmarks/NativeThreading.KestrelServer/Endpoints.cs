using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace NativeThreading.KestrelServer;

/// <summary>What the rows ask for.</summary>
[SuppressMessage("Reliability", "CA2007", Justification = "The rows that come back are written as handlers of applications are.")]
internal static class Endpoints
{
    private const int UnevenEndpoints = 50;

    private static readonly byte[] s_hello = "Hello, World!"u8.ToArray();

    public static void Map(WebApplication application)
    {
        application.MapGet("/plaintext", static (HttpContext context) => SayHelloAsync(context));
        application.MapGet("/json", static (HttpContext context) => AnswerAsync(context));
        application.MapGet("/yield", static async (HttpContext context) =>
        {
            await Task.Yield();
            await AnswerAsync(context).ConfigureAwait(false);
        });
        application.MapGet("/delay", static async (HttpContext context) =>
        {
            await Task.Delay(1).ConfigureAwait(false);
            await AnswerAsync(context).ConfigureAwait(false);
        });
        application.MapGet("/delay-back", static async (HttpContext context) =>
        {
            await Task.Delay(1);
            await AnswerAsync(context);
        });
        application.MapGet("/block", static (HttpContext context) =>
        {
            Thread.Sleep(100);
            return AnswerAsync(context);
        });
        for (int i = 0; i < UnevenEndpoints; i++)
        {
            application.MapGet($"/uneven/{i}", static (HttpContext context, int? milliseconds) => ComputeAndAnswerAsync(context, milliseconds ?? 0));
        }

        application.MapPost("/sync", Synchronous.AnswerAsync);
        Fortunes.Map(application);
        WebSocketEcho.Map(application);
    }

    private static Task SayHelloAsync(HttpContext context)
    {
        context.Response.ContentType = "text/plain";
        context.Response.ContentLength = s_hello.Length;
        return context.Response.Body.WriteAsync(s_hello).AsTask();
    }

    private static Task ComputeAndAnswerAsync(HttpContext context, int milliseconds)
    {
        var time = TimeSpan.FromMilliseconds(milliseconds);
        for (long started = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(started) < time;)
        {
            Thread.SpinWait(10);
        }

        return SayHelloAsync(context);
    }

    private static Task AnswerAsync(HttpContext context) =>
        context.Response.WriteAsJsonAsync(new Greeting("Hello, World!"), GreetingJson.Default.Greeting);
}

/// <param name="Message">What is said.</param>
internal sealed record Greeting(string Message);

[JsonSerializable(typeof(Greeting))]
internal sealed partial class GreetingJson : JsonSerializerContext;
