using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>An implementation of IWorkScheduler, and how work gets done on it.</summary>
public abstract class SchedulerUnderTest : IDisposable
{
    public abstract IWorkScheduler Scheduler { get; }

    /// <summary>Whether the calling thread runs an item of it.</summary>
    public abstract bool IsCurrent { get; }

    /// <summary>Items that wait.</summary>
    public abstract long PendingCount { get; }

    /// <summary>Continuations and tasks that ran on the built-in thread pool.</summary>
    public abstract long RanElsewhereCount { get; }

    /// <summary>Shuts it down.</summary>
    public abstract Task<long> ShutdownAsync(CancellationToken cancellationToken);

    /// <summary>Returns when everything that was queued has ended.</summary>
    public abstract void Settle();

    /// <summary>Lets time pass until the tasks have completed.</summary>
    public virtual void Pass(params Task[] tasks) => Array.ForEach(tasks, static task => Deadline.Until(() => task.IsCompleted));

    /// <summary>Runs something as an item of it, and returns when it has ended.</summary>
    public abstract void RunInside(Action action);

    /// <summary>Keeps items from being run until disposed.</summary>
    public abstract IDisposable HoldBack();

    public abstract void Dispose();
}

/// <summary>Can be made with a limit of its queue.</summary>
public interface ICreatable<TSelf>
{
    static abstract TSelf Create(int? limit, QueueFullMode mode);
}

public sealed class ManualSchedulerUnderTest(int? limit, QueueFullMode mode) : SchedulerUnderTest, ICreatable<ManualSchedulerUnderTest>
{
    private readonly ManualThreadPool _pool = new("under-test", limit, mode);

    public override IWorkScheduler Scheduler => _pool;

    public override bool IsCurrent => ManualThreadPool.Current == _pool;

    public override long PendingCount => _pool.PendingWorkItemCount;

    public override long RanElsewhereCount => _pool.RanElsewhereCount;

    public override Task<long> ShutdownAsync(CancellationToken cancellationToken) => _pool.ShutdownAsync(cancellationToken);

    public static ManualSchedulerUnderTest Create(int? limit, QueueFullMode mode) => new(limit, mode);

    public override void Settle() => _pool.RunAll();

    public override void Pass(params Task[] tasks) => _pool.RunFor(TimeSpan.FromSeconds(1));

    public override void RunInside(Action action)
    {
        _pool.QueueUserWorkItem(_ => action());
        _pool.RunAll();
    }

    public override IDisposable HoldBack() => new Nothing();

    public override void Dispose()
    {
    }

    private sealed class Nothing : IDisposable
    {
        public void Dispose()
        {
        }
    }
}

public sealed class NativeSchedulerUnderTest(int? limit, QueueFullMode mode) : SchedulerUnderTest, ICreatable<NativeSchedulerUnderTest>
{
    private readonly NativeThreadPool _pool = new(new NativeThreadPoolOptions
    {
        Name = "under-test",
        MaxThreads = 1,
        MaxBlockedThreads = 0,
        QueueLimit = limit,
        QueueFullMode = mode,
    });

    public override IWorkScheduler Scheduler => _pool;

    public override bool IsCurrent => NativeThreadPool.Current == _pool;

    public override long PendingCount => _pool.PendingWorkItemCount;

    public override long RanElsewhereCount => _pool.RanElsewhereCount;

    public override Task<long> ShutdownAsync(CancellationToken cancellationToken) => _pool.ShutdownAsync(cancellationToken);

    public static NativeSchedulerUnderTest Create(int? limit, QueueFullMode mode) => new(limit, mode);

    public override void Settle()
    {
        // One thread: while this item runs, no other does. The count is read in it, because an item that has been taken and not yet
        // run is no longer counted.
        while (Deadline.Result(_pool.Factory.StartNew(() => _pool.PendingWorkItemCount, TaskCreationOptions.PreferFairness)) != 0)
        {
        }
    }

    public override void RunInside(Action action)
    {
        Deadline.Wait(_pool.RunAsync(action));
        Settle();
    }

    public override IDisposable HoldBack() => new Held(_pool);

    public override void Dispose() => _pool.Dispose();

    private sealed class Held : IDisposable
    {
        private readonly ManualResetEventSlim _release = new();
        private readonly Task _item;

        public Held(NativeThreadPool pool)
        {
            using var entered = new ManualResetEventSlim();
            _item = pool.Factory.StartNew(() =>
            {
                entered.Set();
                Deadline.Wait(_release);
            });
            Deadline.Wait(entered);
        }

        public void Dispose()
        {
            _release.Set();
            Deadline.Wait(_item);
            _release.Dispose();
        }
    }
}
