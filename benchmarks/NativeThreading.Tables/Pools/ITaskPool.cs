using System.Runtime.CompilerServices;

namespace NativeThreading.Tables.Pools;

/// <summary>Where tasks run; a type argument, like <see cref="IPool"/>.</summary>
internal interface ITaskPool
{
    static abstract Task Run(Action body);

    static abstract Task Run(Func<Task> body);

    static abstract Task<TResult> Run<TResult>(Func<Task<TResult>> body);
}

/// <summary>Task.Run on the runtime's pool.</summary>
internal readonly struct BuiltInTaskPool : ITaskPool
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task Run(Action body) => Task.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task Run(Func<Task> body) => Task.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task<TResult> Run<TResult>(Func<Task<TResult>> body) => Task.Run(body);
}

/// <summary>Run on a pool of ours with the default options.</summary>
internal readonly struct NativeTaskPool : ITaskPool
{
    private static readonly NativeThreadPool s_pool = new(new NativeThreadPoolOptions { Name = "tasks" });

    public static NativeThreadPool Pool => s_pool;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task Run(Action body) => s_pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task Run(Func<Task> body) => s_pool.Run(body);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Task<TResult> Run<TResult>(Func<Task<TResult>> body) => s_pool.Run(body);
}
