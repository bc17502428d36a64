using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.EventLoops.Turns;

/// <summary>A thread that drives a loop which hands over, or did. Used by that thread alone, except for what the monitor reads.</summary>
internal sealed class LoopDriver(EventLoop loop, LoopHandOver handOver) : IWatched
{
    [ThreadStatic]
    private static LoopDriver? t_current;

    private long _number; // of its callback, or of its takeover
    private int _holds;
    private bool _isInside;
    private ThreadProbe? _probe;

    public static LoopDriver? Current => t_current;

    /// <summary>The timer or registration whose callback runs.</summary>
    public object? Target { get; set; }

    /// <summary>Whether another thread has taken the loop, and this one has seen so.</summary>
    public bool IsRelieved { get; private set; }

    ThreadProbe? IWatched.Probe => Volatile.Read(ref _probe);

    /// <summary>Odd while the thread is in no callback that could be relieved.</summary>
    int IWatched.Parks => handOver.Owner.TakeableNumber is var number and not 0 ? (int)number << 1 : 1;

    long IWatched.CompletedCount => handOver.Owner.Number;
    bool IWatched.HasThread => Volatile.Read(ref _probe) is not null;

    /// <summary>On its thread: it drives the loop from now on.</summary>
    public void Enter()
    {
        t_current = this;
        _number = handOver.Owner.Number;
        Volatile.Write(ref _probe, ThreadProbe.OfCurrentThread());
    }

    public static void Leave() => t_current = null;

    /// <summary>Whether this thread drives the loop at this moment. Inside a callback another one may take over at any time.</summary>
    public bool Drives(EventLoop asked) => ReferenceEquals(asked, loop) && !IsRelieved && handOver.Owner.Number == _number;

    /// <summary>Whether it runs the callback of that target: as driver, or still.</summary>
    public bool Runs(object target) => ReferenceEquals(Target, target);

    public void BeginCall(object? target)
    {
        Target = target;
        _isInside = true;
        _number = handOver.Owner.Begin();
    }

    /// <summary>It has ended. <see langword="false"/>: its thread is no driver any more, and goes.</summary>
    public bool EndCall()
    {
        if (!_isInside)
        {
            return !IsRelieved;
        }

        object? target = Target;
        Target = null;
        _isInside = false;
        _holds = 0;
        IsRelieved = !handOver.Owner.TryEnd(_number);
        Chaos.Point("LoopDriver.EndCall");
        if (IsRelieved && target is EventLoopRegistration)
        {
            loop.PostContinuation(static registration => ((EventLoopRegistration)registration!).CallReturned(), target);
        }
        else if (IsRelieved && target is EventLoopTimer)
        {
            loop.PostContinuation(static timer => ((EventLoopTimer)timer!).CallReturned(), target);
        }
        else
        {
            (target as EventLoopTimer)?.CallEnded();
        }

        return !IsRelieved;
    }

    /// <summary>Claims what only the driver may touch, until <see cref="Release"/>. Holds nest.</summary>
    public bool TryHold()
    {
        if (IsRelieved || (_isInside && _holds == 0 && !handOver.Owner.TryHold(_number)))
        {
            return false;
        }

        _holds++;
        return true;
    }

    public void Release()
    {
        if (--_holds == 0 && _isInside)
        {
            handOver.Owner.Release(_number);
        }
    }

    /// <summary>Its callback is about to block.</summary>
    public void Relieve()
    {
        if (_isInside && _holds == 0 && Drives(loop))
        {
            handOver.Relieve(_number);
        }
    }
}
