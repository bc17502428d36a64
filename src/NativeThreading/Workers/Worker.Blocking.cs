using System.Runtime.CompilerServices;
using NativeThreading.Interop;
using NativeThreading.Starvation;
using NativeThreading.Waiting;

namespace NativeThreading.Workers;

/// <summary>A worker that blocks inside an item, or that leaves because others run in its place.</summary>
internal sealed unsafe partial class Worker
{
    /// <summary>What the monitor knows; its own.</summary>
    public Evidence Evidence;

    private ThreadProbe? _probe;
    private int _parks;
    private int _regions;
    private bool _isCountedBlocked;

    /// <summary>Looks at the worker's thread; <see langword="null"/> before it runs.</summary>
    public ThreadProbe? Probe => Volatile.Read(ref _probe);

    /// <summary>How often the worker has begun and ended to park: odd while it is parked by us (T84).</summary>
    public int Parks => Volatile.Read(ref _parks);

    /// <summary>Whether its pool lists it. Changed under the roster's lock, like what follows.</summary>
    public bool IsListed { get; set; } = true;

    /// <summary>Whether it is one of the pool's blocked threads.</summary>
    public bool IsCountedBlocked
    {
        get => Volatile.Read(ref _isCountedBlocked);
        set => Volatile.Write(ref _isCountedBlocked, value);
    }

    /// <summary>Whether it is in a blocking region.</summary>
    public bool IsInRegion => Volatile.Read(ref _regions) != 0;

    /// <summary>Whether the monitor has found it blocked, and it has not been seen to run since.</summary>
    public bool IsProvenBlocked => IsCountedBlocked && !IsInRegion;

    /// <summary>Whether it is known to be blocked, or waits for a group. What it left in its queues is for others.</summary>
    public bool IsBlocked => IsCountedBlocked || Volatile.Read(ref _waitsForGroup);

    /// <summary>Whether a value of <see cref="Parks"/> says that the worker is parked.</summary>
    public static bool IsParked(int parks) => (parks & 1) != 0;

    /// <summary>The worker enters a blocking region, maybe inside another one.</summary>
    public void EnterRegion()
    {
        Volatile.Write(ref _regions, _regions + 1);
        Chaos.Point("Worker.EnterRegion, entered");
        if (_regions == 1)
        {
            _roster.Blocked(this);

            // Whoever queues at this very moment sees that the pool may grow, or is seen here, or comes upon UNMONITORED
            // (a worker, which does not fence).
            Chaos.Point("Worker.EnterRegion, counted");
            PassRequestOn();
        }
    }

    /// <summary>It leaves it.</summary>
    public void LeaveRegion()
    {
        Volatile.Write(ref _regions, _regions - 1);
        Chaos.Point("Worker.LeaveRegion, left");
        if (_regions == 0)
        {
            _roster.RunsAgain(this);
        }
    }

    /// <summary>
    /// Between two items, while something is the matter with the pool. <see langword="false"/>: it has stopped, or more
    /// workers run than may, and this one should leave.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Attend()
    {
        if (_pool.IsStopped)
        {
            return false;
        }

        Chaos.Point("Worker.Attend");
        if (IsProvenBlocked)
        {
            _roster.RunsAgain(this);
        }

        return !_roster.HasSurplus;
    }

    /// <summary>
    /// Takes what a blocked worker has left behind, its local items first: what it waits for is usually among them, as
    /// where a task is queued and then waited for.
    /// </summary>
    private bool StealFromBlocked()
    {
        foreach (Worker other in _roster.Workers)
        {
            if (other != this && other.IsBlocked && other.PendingCount != 0 && TrySteal(other, localFirst: true))
            {
                return true;
            }
        }

        return false;
    }

    private void BeginPark() => Volatile.Write(ref _parks, _parks + 1);

    private void EndPark() => Volatile.Write(ref _parks, _parks + 1);

    /// <summary>Parks until the pool needs one more; returns as <see cref="WaitForWork"/> does.</summary>
    private bool StayInReserve(long since)
    {
        // It may have been chosen by a request, and leaves without having looked for what that was made for: while others
        // are idle that is for one of them, like what it has in its own queues.
        Chaos.Point("Worker.StayInReserve, entered");
        EndLooking();
        PassRequestOn();
        Interruption.Drop();
        BeginPark();
        bool calledBack = _pool.WaitInReserve(this, since);
        EndPark();
        Chaos.Point("Worker.StayInReserve, back");
        if (calledBack)
        {
            BeginLooking();
        }

        _signal.Acknowledge();
        return calledBack;
    }
}
