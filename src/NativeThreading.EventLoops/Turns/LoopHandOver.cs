using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Starvation;
using NativeThreading.Tracing;

namespace NativeThreading.EventLoops.Turns;

/// <summary>State for replacing a loop thread that is blocked, or computes for long, in a callback: the owner of the loop, the number of former
/// drivers, and the part that the monitor samples.</summary>
internal sealed class LoopHandOver : IDisposable
{
    private readonly EventLoop _loop;
    private readonly int _limit;
    private readonly int _mostRescues;
    private readonly MonitorHold _monitor = new();
    private readonly MonitoredLoop _watched;
    private LoopOwner _owner; // changed only by the rules of that type
    private int _formers;
    private long _asked;
    private int _limitTold;
    private int _isAwake = 1;
    private long _rescueReported; // when, or 0
    private int _suppressed;

    /// <param name="loop">The loop.</param>
    /// <param name="limit">The most former drivers.</param>
    /// <param name="mostRescues">How many more there may be, of callbacks that stay blocked at the limit.</param>
    /// <param name="whenComputing">Whether it is also taken over from a callback that computes.</param>
    public LoopHandOver(EventLoop loop, int limit, int mostRescues, bool whenComputing)
    {
        _loop = loop;
        _limit = limit;
        _mostRescues = mostRescues;
        _watched = new MonitoredLoop(this, whenComputing && !ThreadProbe.Estimates);
    }

    /// <summary>The number of callbacks that still run although their loop was taken over, and of threads that are about to take it over.</summary>
    public int FormerCount => Volatile.Read(ref _formers);

    /// <summary>The word that says which thread drives the loop.</summary>
    public ref LoopOwner Owner => ref _owner;

    /// <summary>Whether the loop has closed.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>Whether the loop is in a turn, and not about to sleep.</summary>
    public bool IsAwake => Volatile.Read(ref _isAwake) != 0;

    /// <summary>The thread that drives the loop.</summary>
    public LoopDriver? Driver { get; private set; }

    /// <summary>Called on a new thread: drives the loop. With a number, only if the loop can be taken over from the callback of that number.</summary>
    public LoopDriver? TryDrive(long number)
    {
        bool drives = number == 0 || _owner.TryTake(number);
        Chaos.Point("LoopHandOver.TryDrive");
        if (number != 0)
        {
            Volatile.Write(ref _asked, 0);
        }

        if (!drives)
        {
            return null;
        }

        var driver = new LoopDriver(_loop, this);
        driver.Enter();
        Driver = driver;
        BeginTurns();
        if (number != 0)
        {
            NativeThreadingEventSource.Log.LoopHandedOver(_loop.Name, FormerCount);
        }

        return driver;
    }

    /// <summary>Called by any thread when the callback of that number holds the loop up: starts a thread that takes the loop over. Returns
    /// <see langword="false"/> if the limit is reached or no thread can be started.</summary>
    /// <param name="number">The callback.</param>
    /// <param name="rescues">Whether the callback has been blocked at the limit for a while: it may wait for one that the loop has not run.</param>
    public bool Relieve(long number, bool rescues = false)
    {
        if (number == 0 || Interlocked.CompareExchange(ref _asked, number, 0) != 0)
        {
            return true; // another thread has already been requested
        }

        // Counted before the thread exists: a draining loop waits for it.
        int formers = Interlocked.Increment(ref _formers);
        if (formers > _limit + (rescues ? _mostRescues : 0))
        {
            Volatile.Write(ref _asked, 0);
            FormerEnded();
            ReportLimit();
            return false;
        }

        Chaos.Point("LoopHandOver.Relieve, counted");
        try
        {
            _loop.StartDriver(number);
            if (formers > _limit)
            {
                ReportRescue();
            }

            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            Volatile.Write(ref _asked, 0);
            FormerEnded();
            return false; // the monitor retries
        }
    }

    /// <summary>A former driver has completed its callback, or a thread came too late to take the loop over.</summary>
    public void FormerEnded()
    {
        Interlocked.Decrement(ref _formers);
        Chaos.Point("LoopHandOver.FormerEnded");
        _loop.Lifecycle.LookIfDraining();
    }

    /// <summary>The driver is awake: from now on the monitor samples the loop, until the loop sleeps.</summary>
    public void BeginTurns()
    {
        Interlocked.Exchange(ref _isAwake, 1); // pairs with the barrier in MonitoredLoop.EndsNot
        _watched.BeginMonitoring();
    }

    /// <summary>The driver goes to sleep.</summary>
    public void EndTurns() => Volatile.Write(ref _isAwake, 0);

    /// <summary>The loop is closed.</summary>
    public void Dispose()
    {
        IsClosed = true;
        _monitor.Dispose();
    }

    /// <summary>Called by the monitor's thread only.</summary>
    private void ReportRescue()
    {
        if (_rescueReported != 0 && Stopwatch.GetElapsedTime(_rescueReported) < StarvationTuning.RescueMessages)
        {
            _suppressed++;
            return;
        }

        _rescueReported = Stopwatch.GetTimestamp();
        NativeThreadingEventSource.Log.LoopRescued(_loop.Name, _limit, (long)StarvationTuning.RescueDelay.TotalMilliseconds, _suppressed);
        _suppressed = 0;
    }

    private void ReportLimit()
    {
        if (Interlocked.Exchange(ref _limitTold, 1) == 0)
        {
            NativeThreadingEventSource.Log.LoopBlockedLimitReached(_loop.Name, _limit);
        }
    }
}
