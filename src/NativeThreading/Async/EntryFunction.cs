using System.Runtime.CompilerServices;

namespace NativeThreading.Async;

/// <summary>Synchronous functions of <c>Run</c>. They are tasks of the framework, and the scheduler cannot tell them from other tasks. So the
/// call says here what it is about to queue. The function is the state of its task, and one of the callbacks below is the task's
/// delegate: a pool that a token has stopped can end the task without calling the function, and a call allocates nothing more.</summary>
/// <remarks>The framework lets only the token of a task cancel it. So a task that is ended here fails with an
/// <see cref="OperationCanceledException"/>: code that awaits it sees a cancellation.</remarks>
internal static class EntryFunction
{
    public static readonly Action<object?> RunAction = static function =>
    {
        ThrowIfRefused(function);
        Unsafe.As<Action>(function!)();
    };

    [ThreadStatic]
    private static Delegate? t_entering;

    [ThreadStatic]
    private static (object? Function, CancellationToken Token) t_refused;

    private static int s_refusals; // of all threads together; nearly always 0

    /// <summary>The function whose task the calling thread is about to queue, or <see langword="null"/>. A worker of the same pool keeps it in
    /// a field instead.</summary>
    public static Delegate? Entering => t_entering;

    /// <summary>Whether a task that is being queued is that of the call which enters with this function.</summary>
    public static bool Is(Delegate? entering, Task task) => entering is not null && ReferenceEquals(entering, task.AsyncState);

    /// <summary>Until the scope is disposed. In it one task is queued.</summary>
    public static Scope Enter(Delegate function)
    {
        Delegate? outer = t_entering; // of a call that an event listener interrupts
        t_entering = function;
        return new Scope(outer);
    }

    /// <summary>Ends a task without calling its function, unless it has begun.</summary>
    /// <param name="task">The task, which is in no queue any more.</param>
    /// <param name="execute">Executes a task of the scheduler.</param>
    /// <param name="stopToken">The token of the shutdown.</param>
    /// <returns><see langword="true"/> if the task ended here; <see langword="false"/> if it had begun, or had been cancelled before.</returns>
    public static bool TryRefuse(Task task, Action<object?> execute, CancellationToken stopToken)
    {
        Interlocked.Increment(ref s_refusals);
        t_refused = (task.AsyncState, stopToken);
        execute(task);
        bool isRefused = t_refused.Function is null;
        t_refused = default;
        Interlocked.Decrement(ref s_refusals);
        _ = isRefused ? task.Exception : null; // seen: a task that nobody awaits is no unobserved failure
        return isRefused;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void ThrowIfRefused(object? function)
    {
        if (s_refusals != 0)
        {
            ThrowIfRefusedHere(function);
        }
    }

    private static void ThrowIfRefusedHere(object? function)
    {
        (object? refused, CancellationToken token) = t_refused;
        if (ReferenceEquals(function, refused))
        {
            t_refused = default;
            throw CancelledTask.StopError(token);
        }
    }

    /// <summary>Functions with a result.</summary>
    public static class Of<TResult>
    {
        public static readonly Func<object?, TResult> Run = static function =>
        {
            ThrowIfRefused(function);
            return Unsafe.As<Func<TResult>>(function!)();
        };
    }

    /// <summary>What <see cref="Enter"/> returns.</summary>
    public readonly ref struct Scope(Delegate? outer)
    {
        private readonly Delegate? _outer = outer;

        public void Dispose() => t_entering = _outer;
    }
}
