namespace NativeThreading.Dashboard.Sampling;

/// <summary>One sample as all viewers get it: serialized once.</summary>
internal sealed record PublishedSample(long Sequence, byte[] Json, long TakenAt);
