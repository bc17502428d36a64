using System.Diagnostics;

namespace NativeThreading.Scheduling;

/// <summary>The reserve: workers that are parked because enough others run. The last to come is called back first, so the others
/// reach their idle timeout (T18). Its count changes under the roster's lock.</summary>
internal sealed class Reserve(PoolState state)
{
    private LifoSemaphore? _semaphore;
    private int _count;

    /// <summary>Workers in it that were not called back. <see cref="PoolState.ReserveCount"/> is the sum of all reserves of the pool.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts a worker in, which then calls <see cref="Wait"/>.</summary>
    public void Enter()
    {
        _semaphore ??= new LifoSemaphore(0, lingers: false);
        Add(1);
    }

    /// <summary>Counts off a worker whose wait has timed out. The caller knows that no permit is on its way to that worker.</summary>
    public void Leave() => Add(-1);

    /// <summary>Calls back the worker that came last.</summary>
    public bool TryCallBack()
    {
        if (Count == 0)
        {
            return false;
        }

        Add(-1);
        Chaos.Point("Reserve.TryCallBack, counted off");
        _semaphore!.Release();
        return true;
    }

    /// <summary>Parks. <see langword="true"/>: the worker was called back. Not under the lock.</summary>
    public bool Wait(TimeSpan timeout)
    {
        Chaos.Point("Reserve.Wait");
        return _semaphore!.Wait(timeout);
    }

    private void Add(int change)
    {
        Volatile.Write(ref _count, _count + change);
        state.ReserveCount += change;
    }
}

/// <summary>How many threads may run beyond <c>MaxThreads</c> for a moment, because they are expected to block as well. The number
/// changes under the roster's lock; the monitor counts the time.</summary>
internal sealed class Overshoot
{
    private int _threads;
    private TimeSpan _left;

    public int Threads => Volatile.Read(ref _threads);

    public void Allow(int threads)
    {
        Volatile.Write(ref _threads, Math.Max(threads, 0));
        _left = StarvationTuning.Overshoot;
    }

    /// <summary>Counts the time down. Returns whether the allowance ends now.</summary>
    public bool Ends(TimeSpan elapsed)
    {
        _left -= elapsed;
        return _threads != 0 && _left <= TimeSpan.Zero;
    }
}

/// <summary>How many threads a pass may start beyond <c>MaxThreads</c>. Items that wait after blocked items will probably block, too,
/// so a pass starts several at once: hundreds of blocked items then take a few passes.</summary>
/// <remarks>Only the workers that this pass has found count. Threads that an earlier pass started are not asked for: one that is late to
/// start would hold up all others.</remarks>
internal static class PassSize
{
    /// <summary>How many threads may be added. The more make progress, the fewer: a busy pool only needs replacements.</summary>
    public static int Beyond(int maxThreads, int blocked, int gettingOn) =>
        (int)((long)StarvationTuning.StartsPerBlocked * blocked * Math.Max(maxThreads - gettingOn, 0) / maxThreads);
}

/// <summary>After a failed start no thread is started for a while: the next attempt is the monitor's, so a starved system is not
/// asked at every enqueue. Meanwhile accepted work runs on the existing threads. Changes under the roster's lock.</summary>
/// <remarks>A producer that finds no worker to ask registers the pool with the monitor, and so does the caller that ends a rejected request. So
/// nothing here needs the built-in pool or its timers, which fail where threads cannot be started.</remarks>
internal struct StartPostponement
{
    private bool _isTold;
    private bool _stands;
    private long _since;

    public readonly bool Stands => Volatile.Read(in _stands);

    /// <summary>Whether it stands and has lasted long enough.</summary>
    public readonly bool IsOver => Stands && Stopwatch.GetElapsedTime(Volatile.Read(in _since)) >= StarvationTuning.StartRetry;

    /// <summary>A thread could not be started. Returns whether to report it: once until a start succeeds.</summary>
    public bool Begin()
    {
        bool isFirst = !_isTold;
        _isTold = true;
        Volatile.Write(ref _since, Stopwatch.GetTimestamp());
        Volatile.Write(ref _stands, true);
        return isFirst;
    }

    /// <summary>Threads may be started again.</summary>
    public void End() => _stands = false;

    /// <summary>A thread was started.</summary>
    public void NoteStart() => _isTold = false;
}
