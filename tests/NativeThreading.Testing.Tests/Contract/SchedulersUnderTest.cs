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

    /// <summary>Whether it is paused.</summary>
    public abstract bool IsPaused { get; }

    /// <summary>The most operations in flight.</summary>
    public abstract int? MaxConcurrentOperations { get; }

    /// <summary>Holds back work that has not started.</summary>
    public abstract void BeginPause();

    /// <summary>Ends the pause.</summary>
    public abstract void EndPause();

    public abstract Task WaitForIdleAsync(CancellationToken cancellationToken);

    /// <summary>Runs what may start until a condition holds.</summary>
    public abstract void Until(Func<bool> condition);

    /// <summary>Lets time pass until the tasks have completed.</summary>
    public virtual void Pass(params Task[] tasks) => Array.ForEach(tasks, static task => Deadline.Until(() => task.IsCompleted));

    /// <summary>Runs something as an item of it, and returns when it has ended.</summary>
    public abstract void RunInside(Action action);

    /// <summary>Keeps items from being run until disposed.</summary>
    public abstract IDisposable HoldBack();

    public abstract void Dispose();
}

/// <summary>Can be made with the options that all implementations have.</summary>
public interface ICreatable<TSelf>
{
    static abstract TSelf Create(NativeThreadPoolOptions options);
}

public sealed class ManualSchedulerUnderTest(NativeThreadPoolOptions options) : SchedulerUnderTest, ICreatable<ManualSchedulerUnderTest>
{
    private readonly ManualThreadPool _pool = new(options);

    public override IWorkScheduler Scheduler => _pool;

    public override bool IsCurrent => ManualThreadPool.Current == _pool;

    public override long PendingCount => _pool.PendingWorkItemCount;

    public override long RanElsewhereCount => _pool.RanElsewhereCount;

    public override Task<long> ShutdownAsync(CancellationToken cancellationToken) => _pool.ShutdownAsync(cancellationToken);

    public static ManualSchedulerUnderTest Create(NativeThreadPoolOptions options) => new(options);

    public override bool IsPaused => _pool.IsPaused;

    public override int? MaxConcurrentOperations => _pool.MaxConcurrentOperations;

    public override void BeginPause() => _pool.Pause();

    public override void EndPause() => _pool.Resume();

    public override Task WaitForIdleAsync(CancellationToken cancellationToken) => _pool.WaitForIdleAsync(cancellationToken);

    public override void Until(Func<bool> condition) => Deadline.Until(() =>
    {
        _pool.RunFor(TimeSpan.FromMilliseconds(1));
        return condition();
    });

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

public sealed class NativeSchedulerUnderTest(NativeThreadPoolOptions options) : SchedulerUnderTest, ICreatable<NativeSchedulerUnderTest>
{
    private readonly NativeThreadPool _pool = new(OneThread(options));

    public override IWorkScheduler Scheduler => _pool;

    public override bool IsCurrent => NativeThreadPool.Current == _pool;

    public override long PendingCount => _pool.PendingWorkItemCount;

    public override long RanElsewhereCount => _pool.RanElsewhereCount;

    public override Task<long> ShutdownAsync(CancellationToken cancellationToken) => _pool.ShutdownAsync(cancellationToken);

    public static NativeSchedulerUnderTest Create(NativeThreadPoolOptions options) => new(options);

    public override bool IsPaused => _pool.IsPaused;

    public override int? MaxConcurrentOperations => _pool.MaxConcurrentOperations;

    public override void BeginPause() => _pool.Pause();

    public override void EndPause() => _pool.Resume();

    public override Task WaitForIdleAsync(CancellationToken cancellationToken) => _pool.WaitForIdleAsync(cancellationToken);

    public override void Until(Func<bool> condition) => Deadline.Until(condition);

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

    /// <summary>Waits for no operation that a failed test has left open.</summary>
    public override void Dispose() => Deadline.Wait(_pool.ShutdownAsync(new CancellationToken(canceled: true)));

    private static NativeThreadPoolOptions OneThread(NativeThreadPoolOptions options)
    {
        (options.MaxThreads, options.MaxBlockedThreads) = (1, 0);
        return options;
    }

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
