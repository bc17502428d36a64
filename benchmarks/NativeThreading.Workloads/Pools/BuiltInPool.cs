using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads;

/// <summary>The built-in pool.</summary>
internal readonly struct BuiltInPool : IPool
{
    public string Name => "threadpool";

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback) => ThreadPool.QueueUserWorkItem(callback);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback, object? state) => ThreadPool.QueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        ThreadPool.QueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(WaitCallback callback, object? state) => ThreadPool.UnsafeQueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        ThreadPool.UnsafeQueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Action body) => Task.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Func<Task> body) => Task.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task<TResult> Run<TResult>(Func<Task<TResult>> body) => Task.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Start(Action<object?> body, object? state) =>
        Task.Factory.StartNew(body, state, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);

    public TaskScheduler Scheduler => TaskScheduler.Default;

    public bool IsHere
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Thread.CurrentThread.IsThreadPoolThread;
    }

    public Task WhenAll(Task[] tasks) => Task.WhenAll(tasks);

    public void Dispose()
    {
    }
}
