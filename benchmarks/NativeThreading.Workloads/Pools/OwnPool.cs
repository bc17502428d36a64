using System.Runtime.CompilerServices;

namespace NativeThreading.Workloads;

/// <summary>A NativeThreadPool with separate options, for one workload.</summary>
internal readonly struct OwnPool(NativeThreadPoolOptions options) : IPool
{
    /// <summary>For what only ours can do.</summary>
    public NativeThreadPool Pool { get; } = new(options);

    /// <summary>Of threads that stay once they exist, so that nothing is timed while they start again.</summary>
    public static OwnPool Lasting(string name, int threads) =>
        new(new NativeThreadPoolOptions { Name = name, MaxThreads = threads, IdleTimeout = Timeout.InfiniteTimeSpan });

    public string Name => Pool.Name;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback) => Pool.QueueUserWorkItem(callback);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue(WaitCallback callback, object? state) => Pool.QueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        Pool.QueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(WaitCallback callback, object? state) => Pool.UnsafeQueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        Pool.UnsafeQueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) => Pool.UnsafeQueueUserWorkItem(item, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Action body) => Pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Run(Func<Task> body) => Pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task<TResult> Run<TResult>(Func<Task<TResult>> body) => Pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Task Start(Action<object?> body, object? state) => Pool.Factory.StartNew(body, state);

    public TaskScheduler Scheduler => Pool.Scheduler;

    public bool IsHere
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => NativeThreadPool.Current == Pool;
    }

    public Task WhenAll(Task[] tasks) => Pool.WhenAll(tasks);

    public void Dispose() => Pool.Dispose();
}
