using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads;

/// <summary>Ours, with the default options: one pool for all workloads of a process that need no pool of their own.</summary>
internal readonly struct NativePool : IPool
{
    private static readonly NativeThreadPool s_pool = new(new NativeThreadPoolOptions { Name = "tables" });

    /// <summary>For what only ours can do.</summary>
    public static NativeThreadPool Pool => s_pool;

    public string Name => s_pool.Name;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback) => s_pool.QueueUserWorkItem(callback);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback, object? state) => s_pool.QueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        s_pool.QueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(WaitCallback callback, object? state) => s_pool.UnsafeQueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        s_pool.UnsafeQueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) => s_pool.UnsafeQueueUserWorkItem(item, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Action body) => s_pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Func<Task> body) => s_pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task<TResult> Run<TResult>(Func<Task<TResult>> body) => s_pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Start(Action<object?> body, object? state) => s_pool.Factory.StartNew(body, state);

    public TaskScheduler Scheduler => s_pool.Scheduler;

    public bool IsHere
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => NativeThreadPool.Current == s_pool;
    }

    public Task WhenAll(Task[] tasks) => s_pool.WhenAll(tasks);

    /// <summary>It lives as long as the process.</summary>
    public void Dispose()
    {
    }
}
