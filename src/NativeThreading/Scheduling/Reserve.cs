namespace NativeThreading.Scheduling;

/// <summary>The reserve: workers that are parked because enough others run. The last to come is called back first, so the others
/// reach their idle timeout (T18). Its count changes under the roster's lock.</summary>
internal sealed class Reserve(PoolState state)
{
    private LifoSemaphore? _semaphore;
    private int _count;

    /// <summary>Workers in it that nobody has called back. <see cref="PoolState.ReserveCount"/> is the sum of all reserves of the pool.</summary>
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
