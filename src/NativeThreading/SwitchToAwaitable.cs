using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading;

/// <summary>The result of <see cref="IWorkScheduler.SwitchTo"/>. Await it at once.</summary>
/// <remarks>An implementation of <see cref="IWorkScheduler"/> creates one from the context that its operations resume through.</remarks>
/// <example>
/// <code>
/// await pool.SwitchTo();
/// Compute(); // on the pool
/// </code>
/// </example>
[SuppressMessage("Performance", "CA1815", Justification = "Awaited, never compared.")]
public readonly struct SwitchToAwaitable
{
    private readonly object _target; // a pool, or a context: one word, because async methods store the awaiter

    /// <summary>Creates an awaitable that continues through a synchronization context. It completes synchronously if that context is current.</summary>
    /// <param name="context">The context. Its <see cref="SynchronizationContext.Post"/> must make the context current for the callback.</param>
    /// <exception cref="ArgumentNullException"><paramref name="context"/> is null.</exception>
    public SwitchToAwaitable(SynchronizationContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        _target = context;
    }

    internal SwitchToAwaitable(NativeThreadPool pool) => _target = pool;

    /// <summary>Returns the awaiter; for the compiler.</summary>
    /// <returns>The awaiter.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Awaiter GetAwaiter() => new(_target);

    /// <summary>The awaiter that the compiler uses.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [SuppressMessage("Design", "CA1034", Justification = "The awaiter pattern.")]
    [SuppressMessage("Performance", "CA1815", Justification = "Awaited, never compared.")]
    public readonly struct Awaiter : ICriticalNotifyCompletion
    {
        private static readonly Action<object?> s_continue = static continuation => Unsafe.As<Action>(continuation!)();
        private static readonly SendOrPostCallback s_post = static continuation => Unsafe.As<Action>(continuation!)();

        private readonly object _target;

        internal Awaiter(object target) => _target = target;

        /// <summary>Whether an item's callback is the one that continues on the pool.</summary>
        internal static bool Continues(Action<object?>? callback) => ReferenceEquals(callback, s_continue);

        /// <summary>Gets whether the caller's awaits already resume on the target, and the caller runs there.</summary>
        public bool IsCompleted => _target is NativeThreadPool pool
            ? SynchronizationContext.Current == pool.OperationContext && Worker.Current?.Pool == pool
            : SynchronizationContext.Current == _target;

        /// <summary>Does nothing; for the compiler.</summary>
        [SuppressMessage("Performance", "CA1822", Justification = "The awaiter pattern.")]
        public void GetResult()
        {
        }

        /// <summary>Continues on the target; for the compiler. The execution context flows.</summary>
        /// <param name="continuation">The rest of the async method.</param>
        public void OnCompleted(Action continuation) => Continue(continuation, DefaultContext.Flowing());

        /// <summary>Continues on the target; for the compiler, whose state machines carry the execution context themselves.</summary>
        /// <param name="continuation">The rest of the async method.</param>
        public void UnsafeOnCompleted(Action continuation) => Continue(continuation, null);

        // Not a raw item: later awaits use the context that is current. Never rejected: an async method that has started must be
        // able to continue (T36).
        private void Continue(Action continuation, ExecutionContext? context)
        {
            if (_target is NativeThreadPool pool)
            {
                pool.EnqueueResumption(s_continue, continuation, context, preferLocal: true);
                return;
            }

            if (context is not null)
            {
                Action inner = continuation;
                continuation = () => ExecutionContext.Run(context, static inner => Unsafe.As<Action>(inner!)(), inner);
            }

            Unsafe.As<SynchronizationContext>(_target).Post(s_post, continuation);
        }
    }
}
