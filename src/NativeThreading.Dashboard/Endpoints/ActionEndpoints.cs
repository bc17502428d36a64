using Microsoft.AspNetCore.Http;
using NativeThreading.Dashboard.Json;
using NativeThreading.Dashboard.Sampling;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>What viewers may do, where they may. Each request needs a header that no form of another site can send.</summary>
internal sealed class ActionEndpoints(Sampler sampler, TimeProvider clock)
{
    private const string Header = "X-NativeThreading";

    public async Task StacksAsync(HttpContext context)
    {
        if (IsRefused(context))
        {
            return;
        }

        byte[] json = SampleJson.Of(Stacks.Take(clock));
        Headers.Set(context.Response, "application/json");
        context.Response.ContentLength = json.Length;
        await context.Response.Body.WriteAsync(json, context.RequestAborted).ConfigureAwait(false);
    }

    public Task ResetAsync(HttpContext context)
    {
        if (!IsRefused(context))
        {
            sampler.Reset();
            context.Response.StatusCode = StatusCodes.Status204NoContent;
        }

        return Task.CompletedTask;
    }

    private static bool IsRefused(HttpContext context)
    {
        if (context.Request.Headers[Header] == "1")
        {
            return false;
        }

        context.Response.StatusCode = StatusCodes.Status400BadRequest;
        return true;
    }
}
