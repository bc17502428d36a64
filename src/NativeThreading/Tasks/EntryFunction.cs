using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Tasks;

/// <summary>Synchronous functions of <c>Run</c>. They are tasks of the framework. The function is the state of its task, and one of the
/// callbacks below is the task's delegate: a pool that a token has stopped can end the task without calling the function, and a call
/// allocates nothing more.</summary>
/// <remarks>The framework lets only the token of a task cancel it. So a task that is ended here fails with an
/// <see cref="OperationCanceledException"/>: code that awaits it sees a cancellation.</remarks>
internal static class EntryFunction
{
    public static readonly Action<object?> RunAction = static function =>
    {
        BeforeCall(function);
        Unsafe.As<Action>(function!)();
    };

    [ThreadStatic]
    private static (object? Function, CancellationToken Token) t_refused;

    private static int s_specialCalls; // rejections in progress, and pools with a culture; nearly always 0

    /// <summary>From now on calls check whether they need more than the function.</summary>
    public static void CallSpecially() => Interlocked.Increment(ref s_specialCalls);

    /// <summary>
    /// Whether a task was queued by a call of <c>Run</c>. This is checked seldom, so no call stores the answer. A task of the user with the same
    /// options, and with a function of the same type as its state, is mistaken for such a call. Then <see cref="TryRefuse"/> runs that task; a task
    /// of <c>Run</c> it would have ended.
    /// </summary>
    public static bool Is(Task task) =>
        task.CreationOptions == TaskCreationOptions.DenyChildAttach && FunctionOf(task) is { } function && IsOf(task.GetType(), function.GetType());

    /// <summary>The function, if <see cref="Is"/> holds.</summary>
    public static Delegate? FunctionOf(Task task) => task.AsyncState as MulticastDelegate;

    /// <summary>Ends a task without calling its function, unless it has started.</summary>
    /// <param name="task">The task, which is in no queue any more.</param>
    /// <param name="execute">A function that executes a task of the scheduler.</param>
    /// <param name="stopToken">The token of the shutdown.</param>
    /// <returns><see langword="true"/> if the task ended here; <see langword="false"/> if it had started, or had been cancelled before.</returns>
    public static bool TryRefuse(Task task, Action<object?> execute, CancellationToken stopToken)
    {
        CallSpecially();
        t_refused = (task.AsyncState, stopToken);
        execute(task);
        bool isRefused = t_refused.Function is null;
        t_refused = default;
        Interlocked.Decrement(ref s_specialCalls);
        _ = isRefused ? task.Exception : null; // observed: if the task is not awaited, its exception must not count as unobserved
        return isRefused;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void BeforeCall(object? function)
    {
        if (s_specialCalls != 0)
        {
            BeforeSpecialCall(function);
        }
    }

    private static void BeforeSpecialCall(object? function)
    {
        ThreadCulture.ApplyToContext(); // the task has its own context
        (object? refused, CancellationToken token) = t_refused;
        if (ReferenceEquals(function, refused))
        {
            t_refused = default;
            throw CancelledTask.StopError(token);
        }
    }

    private static bool IsOf(Type task, Type function) => function.IsGenericType
        ? function.GetGenericTypeDefinition() == typeof(Func<>) && task.IsGenericType && task.GetGenericTypeDefinition() == typeof(Task<>)
        : function == typeof(Action) && task == typeof(Task);

    /// <summary>Functions with a result.</summary>
    public static class Of<TResult>
    {
        public static readonly Func<object?, TResult> Run = static function =>
        {
            BeforeCall(function);
            return Unsafe.As<Func<TResult>>(function!)();
        };
    }
}

/// <summary>The state of an item of <c>Run</c> or <c>RunAsync</c>. Users cannot obtain such an object, so an item that has one as its state is such a
/// call.</summary>
internal interface IEntryCall
{
    /// <summary>Ends the call by the token of a shutdown, unless its function has started. The item has been taken out of its queue.</summary>
    /// <returns><see langword="true"/> if the call ended here; <see langword="false"/> if it had started, or had been cancelled before.</returns>
    bool TryAbandon(CancellationToken stopToken);

    /// <summary>Releases the permit of a limited queue, if the call holds one.</summary>
    void ReleasePermit()
    {
    }
}

/// <summary>The state of an item whose owner must be notified, or must decide, if the item never runs.</summary>
internal interface IDroppable
{
    /// <summary>The pool or loop of the item has stopped: the item will not run.</summary>
    /// <param name="stopToken">The token that stopped it, if one did.</param>
    /// <returns><see langword="true"/> if the item was dropped here; <see langword="false"/> if it does not count, because it had been cancelled
    /// before or is not work of the user.</returns>
    bool Drop(CancellationToken stopToken);
}
