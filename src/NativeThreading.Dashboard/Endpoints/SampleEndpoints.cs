using System.Globalization;
using Microsoft.AspNetCore.Http;
using NativeThreading.Dashboard.Json;
using NativeThreading.Dashboard.Sampling;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>One sample. The client is a viewer for as long as that takes.</summary>
internal sealed class SampleEndpoints(Sampler sampler, int maxViewers)
{
    private static readonly byte[] s_null = "null"u8.ToArray();

    public async Task SnapshotAsync(HttpContext context)
    {
        using Viewer? viewer = sampler.TryJoin(maxViewers);
        if (viewer is null)
        {
            Headers.RefuseViewer(context.Response);
            return;
        }

        PublishedSample sample = await viewer.ReadAsync(context.RequestAborted).ConfigureAwait(false);
        await AnswerAsync(context, sample.Json).ConfigureAwait(false);
    }

    /// <summary>The counts of the last minutes; JSON's null if no history is kept.</summary>
    public Task HistoryAsync(HttpContext context) => AnswerAsync(context, sampler.History() ?? s_null);

    /// <summary>Everything that the page knows, as one file that the page can open again.</summary>
    public async Task IncidentAsync(HttpContext context)
    {
        using Viewer? viewer = sampler.TryJoin(maxViewers);
        if (viewer is null)
        {
            Headers.RefuseViewer(context.Response);
            return;
        }

        PublishedSample sample = await viewer.ReadAsync(context.RequestAborted).ConfigureAwait(false);
        byte[] history = sampler.History() ?? s_null;
        context.Response.Headers.ContentDisposition = string.Create(CultureInfo.InvariantCulture, $"attachment; filename=\"incident-{sample.Sample.Time:yyyyMMdd-HHmmss}.json\"");
        await AnswerAsync(context, SampleJson.Written(json =>
        {
            json.WriteStartObject();
            json.WriteString("kind", "NativeThreading incident");
            json.WriteNumber("version", 1);
            json.WriteString("note", "Names of types, methods, routes, pools and threads, and numbers. No arguments, no data of users.");
            json.WritePropertyName("sample");
            json.WriteRawValue(sample.Json);
            json.WritePropertyName("history");
            json.WriteRawValue(history);
            json.WriteEndObject();
        })).ConfigureAwait(false);
    }

    private static async Task AnswerAsync(HttpContext context, byte[] json)
    {
        Headers.Set(context.Response, "application/json");
        context.Response.ContentLength = json.Length;
        await context.Response.Body.WriteAsync(json, context.RequestAborted).ConfigureAwait(false);
    }
}
