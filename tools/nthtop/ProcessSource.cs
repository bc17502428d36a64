using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;

namespace NativeThreading.Top;

/// <summary>Samples of a process without a live page: its metrics, which the runtime sends over its diagnostic port (EventPipe).</summary>
internal sealed class ProcessSource(int id) : ISampleSource
{
    private const string Source = "System.Diagnostics.Metrics";
    private const long TimeSeriesValues = 2; // keyword of that source

    public string Name => $"Process {id}";

    public string ExplanationOf(string condition) => $"docs/reference/conditions.md#{condition}";

    public async IAsyncEnumerable<string> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var provider = new EventPipeProvider(Source, EventLevel.Informational, TimeSeriesValues, new Dictionary<string, string>
        {
            ["SessionId"] = "SHARED", // next to other tools that read metrics
            ["ClientId"] = Guid.NewGuid().ToString(),
            ["Metrics"] = "NativeThreading,System.Runtime",
            ["RefreshInterval"] = "1",
            ["MaxTimeSeries"] = "5000",
            ["MaxHistograms"] = "100",
        });
        using EventPipeSession session = await new DiagnosticsClient(id).StartEventPipeSessionAsync([provider], requestRundown: false, token: cancellationToken);
        var samples = Channel.CreateUnbounded<string>();
        Task reading = Task.Factory.StartNew(() => Read(session, samples.Writer), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            await foreach (string sample in samples.Reader.ReadAllAsync(cancellationToken))
            {
                yield return sample;
            }
        }
        finally
        {
            try
            {
                session.Stop(); // the stream ends, and with it the thread
                await reading.WaitAsync(TimeSpan.FromSeconds(5), CancellationToken.None);
            }
            catch (Exception exception) when (exception is DiagnosticsClientException or IOException or TimeoutException)
            {
                // The process has ended.
            }
        }
    }

    private void Read(EventPipeSession session, ChannelWriter<string> samples)
    {
        Exception? failure = null;
        try
        {
            var measured = new Measurements();
            var maker = new ProcessSampleMaker(id);
            using var source = new EventPipeEventSource(session.EventStream);
            source.Dynamic.All += data =>
            {
                if (data.ProviderName != Source)
                {
                    return;
                }

                if (data.EventName is "CollectionStop" or "Collection/Stop")
                {
                    if (maker.Next(measured) is { } sample)
                    {
                        samples.TryWrite(sample);
                    }

                    measured.Clear();
                }
                else if (data.PayloadByName("instrumentName") is string instrument)
                {
                    measured.Add(instrument, Text(data, "tags"), Text(data, "lastValue") is { Length: > 0 } last ? last : Text(data, "value"), Text(data, "rate"), Text(data, "quantiles"));
                }
            };
            source.Process();
        }
        catch (Exception exception)
        {
            // Of the thread's own: the reader of the samples gets it. The stream of a process that ended while it wrote ends with a part.
            failure = exception is FormatException ? new EndOfStreamException(exception.Message, exception) : exception;
        }

        samples.TryComplete(failure);
    }

    private static string Text(TraceEvent data, string name) => data.PayloadByName(name) as string ?? "";
}
