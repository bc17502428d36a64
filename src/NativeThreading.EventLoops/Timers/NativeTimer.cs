using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;

namespace NativeThreading.EventLoops.Timers;

/// <summary>A timer on its loop: its native half, its index in the table of targets, and what it is armed for. It belongs to the
/// loop's thread, and is embedded in the timer.</summary>
internal struct NativeTimer(EventLoop loop)
{
    private long _handle;
    private int _target;
    private bool _exists;
    private volatile bool _isArmed; // others read it

    /// <summary>Whether there is a native half to give back. It comes with the first arming.</summary>
    public readonly bool Exists => _exists;

    /// <summary>On other threads a snapshot.</summary>
    public readonly bool IsArmed => _isArmed;

    /// <summary>When it fires, or has fired; by the loop's clock.</summary>
    public long Deadline { get; private set; }

    /// <summary>In nanoseconds; 0: it fires once.</summary>
    public long Period { get; private set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Arm(EventLoopTimer timer, long deadline, long period)
    {
        if (!_exists)
        {
            Create();
        }

        if (!_isArmed)
        {
            loop.Targets.Set(_target, timer);
            _isArmed = true;
        }

        Deadline = deadline;
        Period = period;
        loop.ExpectTimer(deadline);
        int result = loop.Native.ArmTimer(_handle, deadline);
        if (result < 0)
        {
            NativeCore.Check(result, nameof(NativeMethods.nth_event_loop_timer_arm));
        }
    }

    /// <summary>It fires: arms it for the next period, if there is one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Fired(EventLoopTimer timer)
    {
        if (Period == 0)
        {
            Forget();
        }
        else
        {
            ArmAgain(timer);
        }
    }

    public void Disarm()
    {
        if (_isArmed)
        {
            Forget();
            _ = loop.Native.CancelTimer(_handle);
        }
    }

    /// <summary>Gives the index and the native half back. Nothing is left to do if the loop has stopped.</summary>
    public void Release()
    {
        if (_exists && loop.IsInLoop)
        {
            _isArmed = false;
            _ = loop.Native.DestroyTimer(_handle);
            loop.Targets.Remove(_target);
            _exists = false;
        }
    }

    /// <summary>The loop stops and closes its native half. Whether the timer was armed.</summary>
    public bool CancelAtStop()
    {
        bool wasArmed = _isArmed;
        Forget();
        _exists = false;
        return wasArmed;
    }

    private void Forget()
    {
        _isArmed = false;
        loop.Targets.Set(_target, null);
    }

    private void ArmAgain(EventLoopTimer timer)
    {
        // Deadlines stay whole periods after the first one. Those that have passed are left out.
        long now = MonotonicClock.Now;
        long last = Deadline == LoopClock.AtOnce ? now : Deadline;
        long missed = now > last ? (now - last) / Period : 0;
        Arm(timer, last + ((missed + 1) * Period), Period);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Create()
    {
        _target = loop.Targets.Add(null);
        long handle = loop.Native.CreateTimer((ulong)_target);
        if (handle < 0)
        {
            loop.Targets.Remove(_target);
            NativeCore.Check((int)handle, nameof(NativeMethods.nth_event_loop_timer_create));
        }

        _handle = handle;
        _exists = true;
    }
}
