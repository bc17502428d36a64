namespace NativeThreading.Tables.Pools;

/// <summary>
/// The queueing calls of one pool. Implemented by empty structs and used as a type argument, so that the compiled
/// benchmark calls the pool itself: no virtual call is added to either column.
/// </summary>
internal interface IPool
{
    static abstract void Queue(WaitCallback callback);

    static abstract void Queue(WaitCallback callback, object? state);

    static abstract void Queue<TState>(Action<TState> callback, TState state, bool preferLocal);

    static abstract void UnsafeQueue(WaitCallback callback, object? state);

    static abstract void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal);

    static abstract void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal);

    static abstract Task Run(Func<Task> body);
}
