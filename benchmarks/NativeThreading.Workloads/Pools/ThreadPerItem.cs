namespace NativeThreading.Workloads;

/// <summary>No pool: a new thread for each item. What blocked items cost at least where each of them begins.</summary>
internal readonly struct ThreadPerItem : IPool
{
    public string Name => "thread per item";

    public void Queue(WaitCallback callback) => UnsafeQueue(callback, null);

    public void Queue(WaitCallback callback, object? state) => UnsafeQueue(callback, state);

    public void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) => UnsafeQueue(_ => callback(state), null);

    public void UnsafeQueue(WaitCallback callback, object? state) => new Thread(() => callback(state)) { IsBackground = true }.UnsafeStart();

    public void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) => UnsafeQueue(_ => callback(state), null);

    public void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) => UnsafeQueue(_ => item.Execute(), null);

    public Task Run(Action body) => throw NeedsPool();

    public Task Run(Func<Task> body) => throw NeedsPool();

    public Task<TResult> Run<TResult>(Func<Task<TResult>> body) => throw NeedsPool();

    public Task Start(Action<object?> body, object? state) => throw NeedsPool();

    public TaskScheduler Scheduler => throw NeedsPool();

    public bool IsHere => false;

    public Task WhenAll(Task[] tasks) => throw NeedsPool();

    public void Dispose()
    {
    }

    private static NotSupportedException NeedsPool() => new("Continuations need a pool.");
}
