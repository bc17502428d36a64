using System.Diagnostics;
using NativeThreading.Starvation;

namespace NativeThreading.EventLoops.Turns;

/// <summary>The monitor's knowledge of one loop that hands over. Only the monitor's thread uses it, except to start monitoring.</summary>
/// <param name="handOver">The hand-over of the loop.</param>
/// <param name="whenComputing">Whether another thread also takes over from a driver that computes.</param>
internal sealed class MonitoredLoop(LoopHandOver handOver, bool whenComputing) : IMonitored
{
    private Evidence? _evidence;
    private int _isMonitored;
    private long _look;
    private int _quietLooks;
    private long _atLimit; // the number of a callback that is blocked at the limit
    private long _atLimitSince;

    /// <summary>Registers the loop with the monitor, unless it is registered. Called by the driver when it wakes.</summary>
    public void BeginMonitoring()
    {
        if (Volatile.Read(ref _isMonitored) == 0 && Interlocked.Exchange(ref _isMonitored, 1) == 0)
        {
            Chaos.Point("MonitoredLoop.BeginMonitoring");
            StarvationMonitor.TryMonitor(this); // the loop holds the monitor's thread
        }
    }

    /// <inheritdoc/>
    public TimeSpan? Look(PauseFreeClock clock)
    {
        if (handOver.IsClosed)
        {
            return null;
        }

        _look++;
        LoopDriver? driver = handOver.Driver;
        long number = handOver.Owner.TakeableNumber;
        TimeSpan next = StarvationTuning.LoopLook;
        if (driver is not null && number != 0)
        {
            _quietLooks = 0;
            next = StarvationTuning.Soon;
            if (HoldsUp(driver, clock) && !handOver.Relieve(number, rescues: HasBeenAtLimit(number)))
            {
                next = StarvationTuning.Later; // the limit is reached
                if (_atLimit != number)
                {
                    (_atLimit, _atLimitSince) = (number, Stopwatch.GetTimestamp());
                }
            }
        }
        else
        {
            _quietLooks = handOver.IsAwake ? 0 : _quietLooks + 1;
        }

        return _quietLooks < StarvationTuning.QuietLooks || EndsNot() ? next : null;
    }

    /// <summary>Whether the callback has been blocked at the limit for as long as a pool waits before a rescue.</summary>
    private bool HasBeenAtLimit(long number) =>
        _atLimit == number && Stopwatch.GetElapsedTime(_atLimitSince) >= StarvationTuning.RescueDelay;

    private bool HoldsUp(LoopDriver driver, PauseFreeClock clock)
    {
        if (_evidence is null || !ReferenceEquals(_evidence.Watched, driver))
        {
            _evidence = new Evidence(driver);
        }

        return _evidence.Look(_look) switch
        {
            Evidence.State.Waits => _evidence.ProveWait(clock.Elapsed) || _evidence.ProveShortWaits(clock),
            Evidence.State.Runs => _evidence.ProveShortWaits(clock) || (whenComputing && _evidence.Used >= StarvationTuning.LoopComputing),
            _ => false,
        };
    }

    /// <summary>Stops monitoring a loop that sleeps. Returns whether it has woken meanwhile: then the monitor continues.</summary>
    private bool EndsNot()
    {
        _quietLooks = 0;
        Interlocked.Exchange(ref _isMonitored, 0); // pairs with the exchange in LoopHandOver.BeginTurns
        Chaos.Point("MonitoredLoop.EndsNot");
        return handOver.IsAwake && Interlocked.Exchange(ref _isMonitored, 1) == 0;
    }
}
