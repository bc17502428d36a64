using System.Runtime.CompilerServices;

namespace NativeThreading.Tables.Pools;

/// <summary>The runtime's own pool.</summary>
internal readonly struct BuiltInPool : IPool
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue(WaitCallback callback) => ThreadPool.QueueUserWorkItem(callback);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue(WaitCallback callback, object? state) => ThreadPool.QueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        ThreadPool.QueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue(WaitCallback callback, object? state) =>
        ThreadPool.UnsafeQueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        ThreadPool.UnsafeQueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) =>
        ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);

    public static Task Run(Func<Task> body) => Task.Run(body);
}
