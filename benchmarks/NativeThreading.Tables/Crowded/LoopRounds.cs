using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Crowded;

/// <summary>A thousand timers that are due at once: those of a loop, and <see cref="System.Threading.Timer"/>, whose callbacks run on the built-in
/// pool.</summary>
internal sealed class TimerRounds : IDisposable
{
    private const int Timers = 1_000;

    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "crowded-timers" });
    private readonly EventLoopTimer[] _ours = new EventLoopTimer[Timers];
    private readonly Timer[] _builtIn = new Timer[Timers];
    private readonly SemaphoreSlim _ended = new(0);
    private int _left;

    public TimerRounds()
    {
        for (int i = 0; i < Timers; i++)
        {
            _ours[i] = new EventLoopTimer(_loop, static rounds => ((TimerRounds)rounds!).Fired(), this);
            _builtIn[i] = new Timer(static rounds => ((TimerRounds)rounds!).Fired(), this, Timeout.Infinite, Timeout.Infinite);
        }
    }

    public CrowdedRow Row() => new($"timers/{Timers}", new CrowdedSide(Contender.Native, Ours), new CrowdedSide(Contender.ThreadPool, BuiltIn))
    {
        IsLatency = true,
        Note = "An operation: a thousand timers are armed for now, and all have fired. Built-in: System.Threading.Timer.",
    };

    public void Dispose()
    {
        _loop.Dispose();
        Array.ForEach(_builtIn, static timer => timer.Dispose());
        _ended.Dispose();
    }

    private long Ours()
    {
        Volatile.Write(ref _left, Timers);
        _loop.UnsafePost(static rounds => Array.ForEach(((TimerRounds)rounds!)._ours, static timer => timer.Arm(TimeSpan.Zero)), this);
        return Wait();
    }

    private long BuiltIn()
    {
        Volatile.Write(ref _left, Timers);
        Array.ForEach(_builtIn, static timer => timer.Change(0, Timeout.Infinite));
        return Wait();
    }

    private long Wait() => _ended.Wait(PoolExtensions.Deadline)
        ? 1
        : throw new MeasurementException($"timers: {_left} of {Timers} did not fire within {PoolExtensions.Deadline.TotalSeconds} s.");

    private void Fired()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _ended.Release();
        }
    }
}

/// <summary>Works that one thread of control hands to a pool and whose ends come back to it: from a loop and back, and from an exclusive scheduler to
/// the built-in pool and back.</summary>
internal sealed class OffloadRounds(NativeThreadPool pool) : IDisposable
{
    private const int Works = 64;

    private readonly EventLoop _loop = new(new EventLoopOptions { Name = "crowded-offload" });
    private readonly TaskFactory _exclusive = new(new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler);
    private readonly SemaphoreSlim _ended = new(0);
    private int _left; // only of the loop, or of the exclusive scheduler

    public CrowdedRow Row() => new($"offload/{Works}", new CrowdedSide(Contender.Native, Ours), new CrowdedSide(Contender.ThreadPool, BuiltIn))
    {
        IsLatency = true,
        Note = "An operation: 64 empty works go from a loop to a pool and come back. Built-in: from an exclusive scheduler to the pool and back.",
    };

    public void Dispose()
    {
        _loop.Dispose();
        _ended.Dispose();
    }

    private long Ours()
    {
        _loop.UnsafePost(static rounds => ((OffloadRounds)rounds!).OffloadAll(), this);
        return Wait();
    }

    private void OffloadAll()
    {
        _left = Works;
        for (int i = 0; i < Works; i++)
        {
            _loop.Offload(pool, static _ => { }, static rounds => ((OffloadRounds)rounds!).Returned(), this);
        }
    }

    private long BuiltIn()
    {
        _exclusive.StartNew(static rounds => ((OffloadRounds)rounds!).RunAll(), this);
        return Wait();
    }

    private void RunAll()
    {
        _left = Works;
        for (int i = 0; i < Works; i++)
        {
            Task.Run(static () => { }).ContinueWith(
                static (_, rounds) => ((OffloadRounds)rounds!).Returned(), this, CancellationToken.None, TaskContinuationOptions.None, _exclusive.Scheduler!);
        }
    }

    private void Returned()
    {
        if (--_left == 0)
        {
            _ended.Release();
        }
    }

    private long Wait() => _ended.Wait(PoolExtensions.Deadline)
        ? 1
        : throw new MeasurementException($"offload: {_left} of {Works} works did not come back within {PoolExtensions.Deadline.TotalSeconds} s.");
}
