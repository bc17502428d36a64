using System.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>Where one thread sleeps until it is granted what it waits for: a token, and an event in which the thread sleeps for it. The
/// links and the two flags belong to the stack that it is on, and are guarded by that stack's lock bit. As native/src/waiter_stack.c.</summary>
/// <remarks>A grant that finds the thread asleep sets the event once, and the thread waits for that set, whatever its clock says. So no set
/// is ever left over: none wakes a later sleep, and none meets an event that is disposed of.</remarks>
internal sealed class ManagedParker : IDisposable
{
    private const int Empty = 0;
    private const int Parked = 1;
    private const int Granted = 2;

    private readonly AutoResetEvent _wake = new(initialState: false);
    private int _token;
    private bool _hasParked; // the owner's: it has set the token to Parked since the last push

    public ManagedParker? Newer { get; set; }

    public ManagedParker? Older { get; set; }

    public bool IsStacked { get; set; }

    public bool IsSentinel { get; set; }

    /// <summary>Before a push, by the owner.</summary>
    public void Reset()
    {
        _hasParked = false;
        Volatile.Write(ref _token, Empty); // a waker finds the parker on the stack, so under the lock
    }

    /// <summary>Grants a popped parker its token, and wakes its thread. <see langword="true"/>: the thread slept, or was about to.</summary>
    public bool Grant()
    {
        // An exchange: either it reads Parked, or the exchange that would set Parked reads it.
        int before = Interlocked.Exchange(ref _token, Granted);
        Debug.Assert(before != Granted);
        Chaos.Point("ManagedParker.Grant, granted");
        if (before != Parked)
        {
            return false; // T53
        }

        _wake.Set();
        return true;
    }

    /// <summary>Parks until the token is granted: <see langword="true"/>; or until the deadline.</summary>
    public bool AwaitToken(long deadline)
    {
        if (!_hasParked)
        {
            if (Interlocked.CompareExchange(ref _token, Parked, Empty) == Granted)
            {
                return true;
            }

            _hasParked = true;
        }

        Chaos.Point("ManagedParker.AwaitToken, parked");
        return UninterruptedWait.One(_wake, deadline);
    }

    /// <summary>For a thread that gave up and then found itself popped: its token will be granted, and must be consumed (T12).</summary>
    public void ConsumeToken()
    {
        bool granted = AwaitToken(MonotonicClock.Never);
        Debug.Assert(granted);
    }

    /// <summary>By the owner, or when its thread has ended. Not on a stack, and nothing granted that was not consumed.</summary>
    public void Dispose() => _wake.Dispose();
}
