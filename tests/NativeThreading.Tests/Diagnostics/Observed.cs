using System.Diagnostics.CodeAnalysis;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What an observer sees of one pool or loop.</summary>
internal static class Observed
{
    /// <summary>The pool in the next snapshot.</summary>
    public static PoolSnapshot Look(this ThreadObserver observer, NativeThreadPool pool) =>
        observer.TakeSnapshot().Pools.Single(snapshot => snapshot.Name == pool.Name);

    /// <summary>The loop in the next snapshot.</summary>
    public static LoopSnapshot Look(this ThreadObserver observer, EventLoop loop) =>
        observer.TakeSnapshot().Loops.Single(snapshot => snapshot.Name == loop.Name);

    /// <summary>Looks until a worker of the pool is as wanted.</summary>
    public static WorkerSnapshot Until(this ThreadObserver observer, NativeThreadPool pool, Func<WorkerSnapshot, bool> isWanted)
    {
        WorkerSnapshot? found = null;
        Deadline.Until(() => (found = observer.Look(pool).Workers.FirstOrDefault(isWanted)) is not null);
        return found!;
    }

    [SuppressMessage("Performance", "CA1859", Justification = "As users see it.")]
    public static NativeThreadPool NewPool(string name, int threads = 2, int? limit = null) =>
        new(new NativeThreadPoolOptions { Name = name, MaxThreads = threads, QueueLimit = limit });
}
