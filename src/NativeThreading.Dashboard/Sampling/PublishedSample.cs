using NativeThreading.Dashboard.Json;
using NativeThreading.Dashboard.Streaming;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>One sample as all viewers get it: serialized once, and only if a viewer asks. Two that ask first at the same moment may each make it.</summary>
internal sealed record PublishedSample(long Sequence, Sample Sample, long TakenAt)
{
    public byte[] Json => field ??= SampleJson.Of(Sample);

    /// <summary>As all streams send it.</summary>
    public byte[] Event => field ??= EventStream.Event(Sequence, Json);
}
