using System.Threading.Tasks.Sources;

namespace NativeThreading.Tests.Support;

/// <summary>
/// A task that completes on the built-in pool, and not before a thread waits for it: an await of it suspends for certain. A delay of a
/// millisecond may be over before its await, on a machine that others use.
/// </summary>
internal sealed class Elsewhere : IValueTaskSource, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<bool> _core;

    private Elsewhere()
    {
    }

    /// <summary>To be awaited once.</summary>
    public static ValueTask CompleteAsync()
    {
        var source = new Elsewhere();
        return new ValueTask(source, source._core.Version);
    }

    void IThreadPoolWorkItem.Execute() => _core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _core.OnCompleted(continuation, state, token, flags);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
