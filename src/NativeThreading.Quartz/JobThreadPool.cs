using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Quartz;
using Quartz.Extensibility;

namespace NativeThreading.Quartz;

/// <summary>What Quartz sees of a pool. One for each scheduler; several may share a pool.</summary>
/// <remarks>Quartz asks how much room there is, takes that many triggers from its store, marks them as fired and hands their jobs over. So a job that
/// arrives here is accepted work: it enters as a continuation, which is never rejected. The limit is the answer to the first question. The
/// pool belongs to the container, whose service drains it after the schedulers have stopped.</remarks>
internal sealed class JobThreadPool : IThreadPool
{
    private readonly NativeThreadPool _pool;
    private readonly JobSlots _slots;
    private readonly ILogger _logger;

    public JobThreadPool(IServiceProvider services, IOptions<NativeThreadPoolJobOptions> options, ILoggerFactory loggers)
    {
        NativeThreadPoolJobOptions jobs = options.Value;
        _pool = JobPools.Find(services, jobs.PoolName);
        _slots = new JobSlots(jobs.MaxConcurrency ?? Configured(services, jobs.SchedulerName) ?? _pool.MaxThreads);
        _logger = loggers.CreateLogger(Log.Category);
        if (_slots.Count < 1)
        {
            throw new InvalidOperationException($"MaxConcurrency of the jobs on pool '{jobs.PoolName}' must be between 1 and {int.MaxValue}, but was {_slots.Count}.");
        }
    }

    public int PoolSize => _slots.Count;

    public ValueTask Initialize(CancellationToken cancellationToken = default) => default;

    /// <summary>The room there is: the slots that are free, no more than the pool's queue may take. If other work keeps the pool so busy that more of
    /// its items wait than it has threads, the answer comes when the pool has caught up with the items that wait now. Other nodes can have the triggers
    /// meanwhile. The scheduler's own jobs are bounded by the slots: they count as one item each that may wait.</summary>
    public async ValueTask<int> WaitForAvailableThreads(CancellationToken cancellationToken = default)
    {
        try
        {
            int free = await _slots.FreeAsync(cancellationToken).ConfigureAwait(false);
            if (free > 0 && (RoomInQueue() < 1 || _pool.PendingWorkItemCount > _pool.MaxThreads + _slots.Count - free))
            {
                await CaughtUpAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
                free = await _slots.FreeAsync(cancellationToken).ConfigureAwait(false);
            }

            // It was the scheduler's turn in the queue: then there is room for one, however much others have queued behind it.
            return Math.Min(free, Math.Max(1, RoomInQueue()));
        }
        catch (OperationCanceledException)
        {
            return 0;
        }
    }

    public ValueTask<bool> TryRun(Func<ValueTask> action, CancellationToken cancellationToken = default) =>
        TryRunWithState(static action => ((Func<ValueTask>)action!)(), action, cancellationToken);

    /// <summary>False only after Close: to Quartz it means that the trigger is broken.</summary>
    public async ValueTask<bool> TryRunWithState(Func<object?, ValueTask> action, object? state, CancellationToken cancellationToken = default)
    {
        try
        {
            while (!_slots.TryTake())
            {
                if (await _slots.FreeAsync(cancellationToken).ConfigureAwait(false) == 0)
                {
                    return false;
                }
            }
        }
        catch (OperationCanceledException)
        {
            return false;
        }

        _ = RunAsync(action, state);
        return true;
    }

    public async ValueTask Shutdown(bool waitForJobsToComplete = true, CancellationToken cancellationToken = default)
    {
        _slots.Close();
        if (waitForJobsToComplete)
        {
            await _slots.Drained.ConfigureAwait(false);
        }
    }

    public async ValueTask<bool> Drain(CancellationToken cancellationToken = default)
    {
        _slots.Close();
        await Task.WhenAny(_slots.Drained, Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken)).ConfigureAwait(false);
        return _slots.Drained.IsCompleted;
    }

    /// <summary>What was configured for Quartz's own pools, in code or in a file; null if nothing was. The options cannot tell that from their
    /// default, so this asks the code that sets them.</summary>
    private static int? Configured(IServiceProvider services, string schedulerName)
    {
        var unset = new ThreadPoolOptions { MaxConcurrency = int.MinValue };
        foreach (IConfigureOptions<ThreadPoolOptions> setup in services.GetServices<IConfigureOptions<ThreadPoolOptions>>())
        {
            if (setup is IConfigureNamedOptions<ThreadPoolOptions> named)
            {
                named.Configure(schedulerName, unset);
            }
            else if (schedulerName == Options.DefaultName)
            {
                setup.Configure(unset);
            }
        }

        return unset.MaxConcurrency == int.MinValue ? null : unset.MaxConcurrency;
    }

    private int RoomInQueue() => _pool.QueueLimit is { } limit ? (int)(limit - Math.Min(limit, _pool.PendingWorkItemCount)) : int.MaxValue;

    /// <summary>An item like any other, behind all that wait.</summary>
    private async Task CaughtUpAsync() => await _pool.SwitchTo();

    private async Task RunAsync(Func<object?, ValueTask> action, object? state)
    {
        try
        {
            await _pool.SwitchTo();
            _slots.Begin();
            await action(state).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            Log.DispatchFailed(_logger, _pool.Name, exception); // what a job throws, Quartz has caught: this is its own
        }
        finally
        {
            _slots.Return();
        }
    }
}
