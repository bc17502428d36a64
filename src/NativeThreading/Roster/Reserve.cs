namespace NativeThreading.Roster;

/// <summary>
/// The workers that parked because enough others run. The one that came last is called back first, so that the others
/// reach their idle timeout (T18). Counts are changed under the roster's lock.
/// </summary>
internal sealed class Reserve
{
    private LifoSemaphore? _semaphore;
    private int _count;

    /// <summary>Workers here that nobody has called back.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>A worker comes; it then calls <see cref="Wait"/>.</summary>
    public void Enter()
    {
        _semaphore ??= new LifoSemaphore(0, lingers: false);
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>A worker whose wait has timed out goes, if as many are called back as will find a permit.</summary>
    public void Leave() => Volatile.Write(ref _count, _count - 1);

    /// <summary>Calls the last one back.</summary>
    public bool TryCallBack()
    {
        if (_count == 0)
        {
            return false;
        }

        Volatile.Write(ref _count, _count - 1);
        Chaos.Point("Reserve.TryCallBack, counted off");
        _semaphore!.Release();
        return true;
    }

    /// <summary>Parks; <see langword="true"/> if the caller was called back. Not under the lock.</summary>
    public bool Wait(TimeSpan timeout)
    {
        Chaos.Point("Reserve.Wait");
        return _semaphore!.Wait(timeout);
    }
}
