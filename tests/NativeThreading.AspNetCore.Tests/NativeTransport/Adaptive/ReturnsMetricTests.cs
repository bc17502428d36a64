using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>The counter of endpoints that were sent back, which docs/reference/metrics.md names.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class ReturnsMetricTests
{
    [Fact]
    public async Task EndpointThatIsSentBack_IsCounted_WithItsNameAndTheReason()
    {
        var measured = new ConcurrentQueue<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument is { Name: "native_threading.transport.returns", Meter.Name: "NativeThreading", Unit: "{return}" })
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            string all = string.Join(", ", tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"));
            if (all.Contains("/measured", StringComparison.Ordinal)) // other tests have servers, too
            {
                measured.Enqueue($"{value} {all}");
            }
        });
        listener.Start();
        bool blocks = false;
        await using AdaptiveServer server = await AdaptiveServer.StartAsync(app => app.MapGet("/measured", () =>
        {
            if (Volatile.Read(ref blocks))
            {
                using var taken = new ManualResetEventSlim(); // waits without computing, also on a busy machine
                EventLoop.Current!.Post(static taken => ((ManualResetEventSlim)taken!).Set(), taken);
                Deadline.Wait(taken, "another thread takes the loop over");
            }

            return Places.Mine;
        }));
        await server.AskUntilAsync("/measured", Places.Loop);
        Assert.Empty(measured);

        Volatile.Write(ref blocks, true);
        await server.GetAsync("/measured");

        Deadline.Until(() => !measured.IsEmpty);
        Assert.Equal(
            "1 native_threading.transport.endpoint=HTTP: GET /measured, native_threading.transport.reason=blocks", Assert.Single(measured));
    }
}
