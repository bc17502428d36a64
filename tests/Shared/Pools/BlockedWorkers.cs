namespace NativeThreading.Tests.Support;

/// <summary>Occupies workers of a pool with items that wait, until disposed.</summary>
internal sealed class BlockedWorkers(NativeThreadPool pool, int count) : Occupation(count, item => pool.UnsafeQueueUserWorkItem(item.Invoke, null));
