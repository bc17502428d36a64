using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Threading.Channels;
using NativeThreading.Dashboard.Json;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>One viewer, until disposed. It has room for one sample: a slow viewer misses some and gets the newest.</summary>
internal sealed class Viewer(Sampler sampler) : IDisposable
{
    private readonly Channel<PublishedSample> _mailbox = Channel.CreateBounded<PublishedSample>(
        new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <summary>Replaces what has not been read.</summary>
    public void Publish(PublishedSample sample) => _mailbox.Writer.TryWrite(sample);

    /// <summary>The sample that there is.</summary>
    public bool TryRead([NotNullWhen(true)] out PublishedSample? sample) => _mailbox.Reader.TryRead(out sample);

    /// <summary>The next sample, as soon as there is one.</summary>
    public ValueTask<PublishedSample> ReadAsync(CancellationToken cancellationToken) => _mailbox.Reader.ReadAsync(cancellationToken);

    /// <summary>Leaves the sampler. When the last viewer leaves, the sampling ends.</summary>
    public void Dispose() => sampler.Leave(this);
}

/// <summary>One sample as all viewers get it: serialized once, and only if a viewer asks. Two that ask first at the same moment may each make it.</summary>
internal sealed record PublishedSample(long Sequence, Sample Sample, long TakenAt)
{
    public byte[] Json => field ??= SampleJson.Of(Sample);

    /// <summary>As all streams send it.</summary>
    public byte[] Event => field ??= EventStream.Event(Sequence, Json);
}

/// <summary>The format of server-sent events. JSON has no line breaks, so a sample is one line.</summary>
internal static class EventStream
{
    /// <summary>A browser that has lost the stream comes back after a second.</summary>
    public static ReadOnlyMemory<byte> Retry { get; } = "retry: 1000\n\n"u8.ToArray();

    public static byte[] Event(long sequence, byte[] json)
    {
        byte[] head = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"event: sample\nid: {sequence}\ndata: "));
        return [.. head, .. json, (byte)'\n', (byte)'\n'];
    }
}
