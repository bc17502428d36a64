using Microsoft.AspNetCore.Http;
using NativeThreading.Dashboard.Sampling;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>One sample. Who asks is a viewer for as long as that takes.</summary>
internal sealed class SampleEndpoints(Sampler sampler, int maxViewers)
{
    public async Task SnapshotAsync(HttpContext context)
    {
        using Viewer? viewer = sampler.TryJoin(maxViewers);
        if (viewer is null)
        {
            Headers.RefuseViewer(context.Response);
            return;
        }

        PublishedSample sample = await viewer.ReadAsync(context.RequestAborted).ConfigureAwait(false);
        Headers.Set(context.Response, "application/json");
        context.Response.ContentLength = sample.Json.Length;
        await context.Response.Body.WriteAsync(sample.Json, context.RequestAborted).ConfigureAwait(false);
    }
}
