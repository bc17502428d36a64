using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Hosting;
using NativeThreading.Dashboard.Sampling;

namespace NativeThreading.Dashboard.Endpoints;

/// <summary>Samples as server-sent events, until the viewer or the application goes. A viewer that does not read is dropped.</summary>
internal sealed class StreamEndpoint(Sampler sampler, IHostApplicationLifetime lifetime, DashboardOptions options)
{
    /// <summary>Of the system, for each viewer, in bytes. By itself it grows to megabytes, and a viewer that does not read is found out only when it is full.</summary>
    private const int SendBuffer = 16 * 1024;

    public async Task AnswerAsync(HttpContext context)
    {
        using Viewer? viewer = sampler.TryJoin(options.MaxViewers);
        if (viewer is null)
        {
            Headers.RefuseViewer(context.Response);
            return;
        }

        BoundSendBuffer(context);
        Headers.Set(context.Response, "text/event-stream");
        context.Response.Headers["X-Accel-Buffering"] = "no"; // a proxy in front must not wait for more
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();

        using var ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, lifetime.ApplicationStopping);
        try
        {
            await SendAsync(context, EventStream.Retry, ended.Token).ConfigureAwait(false);
            while (true)
            {
                PublishedSample sample = await viewer.ReadAsync(ended.Token).ConfigureAwait(false);
                await SendAsync(context, sample.Event, ended.Token).ConfigureAwait(false);
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

    /// <summary>A connection of HTTP/1 has this stream alone.</summary>
    private static void BoundSendBuffer(HttpContext context)
    {
        if (HttpProtocol.IsHttp11(context.Request.Protocol) && context.Features.Get<IConnectionSocketFeature>() is { Socket: { } socket })
        {
            try
            {
                socket.SendBufferSize = SendBuffer;
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                // The viewer has gone, which the first write will tell.
            }
        }
    }

    private async Task SendAsync(HttpContext context, ReadOnlyMemory<byte> text, CancellationToken ended)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ended);
        limit.CancelAfter(options.WriteTimeout);
        await context.Response.Body.WriteAsync(text, limit.Token).ConfigureAwait(false);
        await context.Response.Body.FlushAsync(limit.Token).ConfigureAwait(false);
    }
}
