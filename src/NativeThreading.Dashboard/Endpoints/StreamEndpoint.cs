using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Sampling;
using NativeThreading.Dashboard.Streaming;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>Samples as server-sent events, until the viewer or the application goes. A viewer that does not read is dropped.</summary>
internal sealed class StreamEndpoint(Sampler sampler, IHostApplicationLifetime lifetime, TimeSpan writeTimeout)
{
    public async Task AnswerAsync(HttpContext context)
    {
        Headers.Set(context.Response, "text/event-stream");
        context.Response.Headers["X-Accel-Buffering"] = "no"; // a proxy in front must not wait for more
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();

        using var ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        using Viewer viewer = sampler.Join();
        try
        {
            await SendAsync(context, EventStream.Retry, ended.Token).ConfigureAwait(false);
            while (true)
            {
                PublishedSample sample = await viewer.ReadAsync(ended.Token).ConfigureAwait(false);
                await SendAsync(context, EventStream.Event(sample), ended.Token).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException && ended.IsCancellationRequested)
        {
        }
        catch (OperationCanceledException)
        {
            context.Abort(); // it has not read for too long
        }
    }

    private async Task SendAsync(HttpContext context, ReadOnlyMemory<byte> text, CancellationToken ended)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ended);
        limit.CancelAfter(writeTimeout);
        await context.Response.Body.WriteAsync(text, limit.Token).ConfigureAwait(false);
        await context.Response.Body.FlushAsync(limit.Token).ConfigureAwait(false);
    }
}
