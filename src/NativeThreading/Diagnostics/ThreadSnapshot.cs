namespace NativeThreading.Diagnostics;

/// <summary>The pools and event loops of the process when they were looked at, in the order of their creation. What has stopped is not
/// among them.</summary>
/// <param name="Elapsed">The time since this observer's snapshot before, or since the observer was created.</param>
/// <param name="Pools">The pools.</param>
/// <param name="Loops">The event loops.</param>
public sealed record ThreadSnapshot(TimeSpan Elapsed, IReadOnlyList<PoolSnapshot> Pools, IReadOnlyList<LoopSnapshot> Loops);
