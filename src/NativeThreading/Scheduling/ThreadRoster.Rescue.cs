namespace NativeThreading.Scheduling;

/// <summary>Rescue threads: they exist beyond the limits, and count in the totals alone. Model: native/models/rescue.pml.</summary>
internal sealed partial class ThreadRoster
{
    private readonly Reserve _rescueReserve;
    private int _blockedRescueCount;

    /// <summary>Rescue threads that are neither blocked nor parked: a snapshot.</summary>
    public int RescuersAtWork => _state.RescueCount - Volatile.Read(ref _blockedRescueCount) - _rescueReserve.Count;

    /// <summary>The most rescue threads.</summary>
    public int MaxRescueThreads => MaxBlockedThreads == 0 ? 0 : _state.Shares.MostFor(RescueShares.Generations - 1);

    /// <summary>Calls back or starts rescue threads, while the pool needs some. Returns how many.</summary>
    public int Rescue(int wanted)
    {
        int added = 0;
        while (added < wanted && TryAddRescuer())
        {
            added++;
        }

        return added;
    }

    private bool TryAddRescuer()
    {
        Worker? rescuer;
        using (_lock.EnterScope())
        {
            Chaos.Point("ThreadRoster.TryAddRescuer");
            bool mayCome = _rescueReserve.Count != 0 || (!_postponement.Stands && _state.RescueCount < MaxRescueThreads);
            if (!_state.NeedsRescue || !mayCome || !TryCallBackOrEnlist(isRescue: true, out rescuer))
            {
                return false;
            }
        }

        return rescuer is null || TryStart(rescuer);
    }
}
