using NativeThreading.Dashboard.Streaming;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>One sample as all viewers get it: serialized once.</summary>
internal sealed record PublishedSample(long Sequence, byte[] Json, long TakenAt)
{
    /// <summary>As all streams send it. Two that ask first at the same moment may each make it.</summary>
    public byte[] Event => field ??= EventStream.Event(Sequence, Json);
}
