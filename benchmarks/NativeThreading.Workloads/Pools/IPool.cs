namespace NativeThreading.Workloads;

/// <summary>A pool as every workload sees it. All of them are structs. Where the time of an item counts, the pool is a type argument, so that the
/// compiled workload calls the pool itself: no virtual call is added to either column. A pool without a state is used as <c>default(TPool)</c>. Where
/// an item takes microseconds, the workload may hold the interface and pay for its calls.</summary>
internal interface IPool : IDisposable
{
    /// <summary>For messages.</summary>
    string Name { get; }

    void Queue(WaitCallback callback);

    void Queue(WaitCallback callback, object? state);

    void Queue<TState>(Action<TState> callback, TState state, bool preferLocal);

    void UnsafeQueue(WaitCallback callback, object? state);

    void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal);

    void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal);

    Task Run(Action body);

    Task Run(Func<Task> body);

    Task<TResult> Run<TResult>(Func<Task<TResult>> body);

    /// <summary>Starts a task on the pool's scheduler.</summary>
    Task Start(Action<object?> body, object? state);

    /// <summary>The pool's scheduler.</summary>
    TaskScheduler Scheduler { get; }

    /// <summary>Whether the calling thread is one of the pool's.</summary>
    bool IsHere { get; }

    /// <summary>The pool's own way to wait for all.</summary>
    Task WhenAll(Task[] tasks);
}
