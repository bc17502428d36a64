using System.Runtime.CompilerServices;

namespace NativeThreading.Tables.Pools;

/// <summary>Ours, with the default options.</summary>
internal readonly struct NativePool : IPool
{
    private static readonly NativeThreadPool s_pool = new(new NativeThreadPoolOptions { Name = "tables" });

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue(WaitCallback callback) => s_pool.QueueUserWorkItem(callback);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue(WaitCallback callback, object? state) => s_pool.QueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Queue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        s_pool.QueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue(WaitCallback callback, object? state) =>
        s_pool.UnsafeQueueUserWorkItem(callback, state);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue<TState>(Action<TState> callback, TState state, bool preferLocal) =>
        s_pool.UnsafeQueueUserWorkItem(callback, state, preferLocal);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void UnsafeQueue(IThreadPoolWorkItem item, bool preferLocal) =>
        s_pool.UnsafeQueueUserWorkItem(item, preferLocal);

    public static Task Run(Func<Task> body) => s_pool.Run(body);
}
