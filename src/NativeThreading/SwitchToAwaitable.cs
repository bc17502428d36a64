using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using NativeThreading.Threads;
using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>What <see cref="NativeThreadPool.SwitchTo"/> returns, to be awaited.</summary>
[SuppressMessage("Performance", "CA1815", Justification = "Awaited, never compared.")]
public readonly struct SwitchToAwaitable
{
    private readonly NativeThreadPool _pool;

    internal SwitchToAwaitable(NativeThreadPool pool) => _pool = pool;

    /// <summary>For the compiler.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Awaiter GetAwaiter() => new(_pool);

    /// <summary>For the compiler.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [SuppressMessage("Design", "CA1034", Justification = "The awaiter pattern.")]
    [SuppressMessage("Performance", "CA1815", Justification = "Awaited, never compared.")]
    public readonly struct Awaiter : ICriticalNotifyCompletion
    {
        private static readonly Action<object?> s_continue = static continuation => Unsafe.As<Action>(continuation!)();

        private readonly NativeThreadPool _pool;

        internal Awaiter(NativeThreadPool pool) => _pool = pool;

        /// <summary>Whether an item's callback is the one that continues on the pool.</summary>
        internal static bool Continues(Action<object?>? callback) => ReferenceEquals(callback, s_continue);

        /// <summary>Whether the caller's awaits come back to the pool already, through its context, and the caller runs on a worker.</summary>
        public bool IsCompleted => SynchronizationContext.Current == _pool.OperationContext && Worker.Current?.Pool == _pool;

        /// <summary>For the compiler.</summary>
        [SuppressMessage("Performance", "CA1822", Justification = "The awaiter pattern.")]
        public void GetResult()
        {
        }

        /// <summary>For the compiler; the execution context flows.</summary>
        /// <param name="continuation">What to continue with.</param>
        public void OnCompleted(Action continuation) => Continue(continuation, DefaultContext.Flowing());

        /// <summary>For the compiler, whose state machines carry the execution context themselves.</summary>
        /// <param name="continuation">What to continue with.</param>
        public void UnsafeOnCompleted(Action continuation) => Continue(continuation, null);

        // Not a raw item: later awaits use the context that is current. Never refused: an async method that has begun must be
        // able to go on (T36).
        private void Continue(Action continuation, ExecutionContext? context) =>
            _pool.EnqueueResumption(s_continue, continuation, context, preferLocal: true);
    }
}
