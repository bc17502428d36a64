namespace NativeThreading.Tests.Contract;

/// <summary>The queueing calls of a pool, whichever it is: what the contract suite is written against.</summary>
public interface IPoolUnderTest : IDisposable
{
    /// <summary>Returns when no item runs or waits, where the pool can tell.</summary>
    void WaitUntilQuiet();

    bool QueueUserWorkItem(WaitCallback callBack);

    bool QueueUserWorkItem(WaitCallback callBack, object? state);

    bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal);

    bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state);

    bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal);

    bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal);
}
