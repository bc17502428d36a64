using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>A pool of this library, with one thread per processor, but never a single one.</summary>
public sealed class NativePoolUnderTest : IPoolUnderTest
{
    private readonly NativeThreadPool _pool =
        new(new NativeThreadPoolOptions { Name = "contract", MaxThreads = Math.Max(2, Environment.ProcessorCount) });

    public void WaitUntilQuiet() => _pool.WaitUntilQuiet();

    public bool QueueUserWorkItem(WaitCallback callBack) => _pool.QueueUserWorkItem(callBack);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state) => _pool.QueueUserWorkItem(callBack, state);

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        _pool.QueueUserWorkItem(callBack, state, preferLocal);

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => _pool.UnsafeQueueUserWorkItem(callBack, state);

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        _pool.UnsafeQueueUserWorkItem(callBack, state, preferLocal);

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal) =>
        _pool.UnsafeQueueUserWorkItem(callBack, preferLocal);

    public void Dispose() => Deadline.Wait(_pool.ShutdownAsync(CancellationToken.None));
}

/// <summary>The built-in pool: the reference.</summary>
public sealed class RuntimePoolUnderTest : IPoolUnderTest
{
    public void WaitUntilQuiet()
    {
    }

    public bool QueueUserWorkItem(WaitCallback callBack) => ThreadPool.QueueUserWorkItem(callBack);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state) => ThreadPool.QueueUserWorkItem(callBack, state);

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        ThreadPool.QueueUserWorkItem(callBack, state, preferLocal);

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) => ThreadPool.UnsafeQueueUserWorkItem(callBack, state);

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        ThreadPool.UnsafeQueueUserWorkItem(callBack, state, preferLocal);

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal) =>
        ThreadPool.UnsafeQueueUserWorkItem(callBack, preferLocal);

    public void Dispose()
    {
    }
}

/// <summary>Our scheduler: each item is a task. What the unsafe forms leave out, suppressed flow leaves out here.</summary>
public sealed class SchedulerUnderTest : IPoolUnderTest
{
    private readonly NativeThreadPool _pool =
        new(new NativeThreadPoolOptions { Name = "contract-tasks", MaxThreads = Math.Max(2, Environment.ProcessorCount) });

    public void WaitUntilQuiet() => _pool.WaitUntilQuiet();

    public bool QueueUserWorkItem(WaitCallback callBack) => QueueUserWorkItem(callBack, null);

    public bool QueueUserWorkItem(WaitCallback callBack, object? state)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Start(() => callBack(state), preferLocal: false);
    }

    public bool QueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        return Start(() => callBack(state), preferLocal);
    }

    public bool UnsafeQueueUserWorkItem(WaitCallback callBack, object? state) =>
        WithoutFlow(() => QueueUserWorkItem(callBack, state));

    public bool UnsafeQueueUserWorkItem<TState>(Action<TState> callBack, TState state, bool preferLocal) =>
        WithoutFlow(() => QueueUserWorkItem(callBack, state, preferLocal));

    public bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem callBack, bool preferLocal)
    {
        ArgumentNullException.ThrowIfNull(callBack);
        if (callBack is Task)
        {
            throw new ArgumentOutOfRangeException(nameof(callBack));
        }

        return WithoutFlow(() => Start(callBack.Execute, preferLocal));
    }

    public void Dispose() => Deadline.Wait(_pool.ShutdownAsync(CancellationToken.None));

    private static bool WithoutFlow(Func<bool> queue)
    {
        if (ExecutionContext.IsFlowSuppressed())
        {
            return queue();
        }

        using (ExecutionContext.SuppressFlow())
        {
            return queue();
        }
    }

    private bool Start(Action item, bool preferLocal)
    {
        _pool.Factory.StartNew(item, preferLocal ? TaskCreationOptions.None : TaskCreationOptions.PreferFairness);
        return true;
    }
}
