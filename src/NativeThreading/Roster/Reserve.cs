using NativeThreading.Workers;

namespace NativeThreading.Roster;

/// <summary>The reserve: workers that are parked because enough others run. The last to come is called back first, so the others
/// reach their idle timeout (T18). Its count changes under the roster's lock.</summary>
internal sealed class Reserve(PoolState state)
{
    private LifoSemaphore? _semaphore;

    /// <summary>Counts a worker in, which then calls <see cref="Wait"/>.</summary>
    public void Enter()
    {
        _semaphore ??= new LifoSemaphore(0, lingers: false);
        state.ReserveCount++;
    }

    /// <summary>Counts off a worker whose wait has timed out. The caller knows that no permit is on its way to that worker.</summary>
    public void Leave() => state.ReserveCount--;

    /// <summary>Calls back the worker that came last.</summary>
    public bool TryCallBack()
    {
        if (state.ReserveCount == 0)
        {
            return false;
        }

        state.ReserveCount--;
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
}
