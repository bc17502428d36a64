using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using NativeThreading.AspNetCore;

namespace NativeThreading;

/// <summary><c>pool.PipeScheduler</c>: the callbacks of pipes and transports on a pool.</summary>
/// <example>
/// <code>
/// var options = new System.IO.Pipelines.PipeOptions(readerScheduler: pool.PipeScheduler);
/// </code>
/// </example>
public static class NativeThreadPoolPipeSchedulerExtensions
{
    private static readonly ConditionalWeakTable<NativeThreadPool, NativePipeScheduler> s_schedulers = [];

    extension(NativeThreadPool pool)
    {
        /// <summary>Gets a scheduler that runs the callbacks of pipes and transports on this pool, for <see cref="PipeOptions"/> and for transports
        /// that take a scheduler. Each pool has one.</summary>
        /// <remarks>May be used from any thread. Callbacks start in the order in which they were scheduled. If the pool has several threads, several
        /// run at once, as on <see cref="PipeScheduler.ThreadPool"/>: one direction of a pipe has one callback at a time. The execution context
        /// does not flow, and nothing is allocated for a callback. A callback is never rejected: once the pool is shutting down it runs on the
        /// built-in pool.</remarks>
        /// <exception cref="ArgumentNullException">The pool is null.</exception>
        public PipeScheduler PipeScheduler
        {
            get
            {
                ArgumentNullException.ThrowIfNull(pool);
                return s_schedulers.GetValue(pool, static pool => new NativePipeScheduler(pool));
            }
        }
    }
}
