using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

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

    /// <summary>Looks no more. The last one to leave ends the sampling.</summary>
    public void Dispose() => sampler.Leave(this);
}
