namespace NativeThreading.Tests.Support;

/// <summary>Occupies a loop with a callback that waits, until disposed.</summary>
internal sealed class OccupiedLoop(EventLoop loop) : Occupation(1, callback => loop.UnsafePost(callback, null));
