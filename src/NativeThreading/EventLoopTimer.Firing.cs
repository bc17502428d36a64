using System.Runtime.CompilerServices;
using NativeThreading.EventLoops;
using NativeThreading.Interop;

namespace NativeThreading;

/// <summary>What a timer does on its loop's thread. All of this belongs to that thread.</summary>
public sealed partial class EventLoopTimer
{
    private long _handle = -1;
    private int _target = -1;
    private long _deadline;
    private long _period;
    private volatile bool _isArmed;
    private bool _isFiring; // stays set where the callback throws

    /// <summary>Fires: the timer's event has been taken out of the batch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Fire()
    {
        if (_period == 0)
        {
            _isArmed = false;
            _loop.Targets.Set(_target, null);
        }
        else
        {
            ArmAgain();
        }

        if (_context is not null)
        {
            ExecutionContext.Restore(_context); // runs foreign code, so before the look
        }

        Chaos.Point("EventLoopTimer.Fire");
        if (_hasRequest)
        {
            ApplyRequest(); // a request has come meanwhile, and replaces what was done above (T139)
            return;
        }

        _isFiring = true;
        _callback(_state);
        _isFiring = false;
    }

    /// <summary>The loop stops, and its native half is about to be closed.</summary>
    internal void CancelAtStop()
    {
        bool wasArmed = _isArmed;
        _isArmed = false;
        _handle = -1;
        _loop.Targets.Set(_target, null);
        if (wasArmed)
        {
            GoOn();
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ArmHere(long deadline, long period)
    {
        if (_handle < 0)
        {
            CreateHere();
        }

        if (!_isArmed)
        {
            _loop.Targets.Set(_target, this);
            _isArmed = true;
        }

        _deadline = deadline;
        _period = period;
        _loop.ExpectTimer(deadline);
        int result = NativeMethods.nth_event_loop_timer_arm(_loop.Native, _handle, deadline);
        if (result < 0)
        {
            NativeCore.Check(result, nameof(NativeMethods.nth_event_loop_timer_arm));
        }
    }

    private void ArmAgain()
    {
        // Deadlines stay whole periods after the first one. Those that have passed are left out.
        long now = LoopClock.Now;
        long last = _deadline == LoopClock.AtOnce ? now : _deadline;
        long missed = now > last ? (now - last) / _period : 0;
        _deadline = last + ((missed + 1) * _period);
        ArmHere(_deadline, _period);
    }

    private void DisarmHere()
    {
        if (_isArmed)
        {
            _isArmed = false;
            _loop.Targets.Set(_target, null);
            _ = NativeMethods.nth_event_loop_timer_cancel(_loop.Native, _handle);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CreateHere()
    {
        _target = _loop.Targets.Add(null);
        long handle = NativeMethods.nth_event_loop_timer_create(_loop.Native, (ulong)_target);
        if (handle < 0)
        {
            _loop.Targets.Remove(_target);
            NativeCore.Check((int)handle, nameof(NativeMethods.nth_event_loop_timer_create));
        }

        _handle = handle;
    }

    /// <summary>Gives the timer's index and native half back. Nothing is left to do if the loop has stopped.</summary>
    private void Release()
    {
        if (_handle >= 0 && _loop.IsInLoop)
        {
            _isArmed = false;
            _ = NativeMethods.nth_event_loop_timer_destroy(_loop.Native, _handle);
            _loop.Targets.Remove(_target);
            _handle = -1;
        }
    }
}
