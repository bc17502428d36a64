using System.Diagnostics;
using NativeThreading.Waiting;

namespace NativeThreading.ManagedCore;

/// <summary>The parker of one worker thread of a signal. Used by that thread only.</summary>
internal sealed class ManagedWorker(ManagedWorkerSignal signal) : IDisposable
{
    private readonly ManagedParker _parker = new();
    private bool _announced; // for assertions

    /// <summary>Announces the worker idle; from now on it may be chosen. A full fence. <see langword="false"/>: it was to be the
    /// sentinel, and there is one.</summary>
    public bool Announce(bool asSentinel)
    {
        Debug.Assert(!_announced);
        _announced = signal.Announce(_parker, asSentinel);
        return _announced;
    }

    /// <summary>Takes the announcement back. A full fence. <see langword="true"/>: it was chosen before that.</summary>
    public bool Withdraw()
    {
        Debug.Assert(_announced);
        _announced = false;
        return signal.Withdraw(_parker);
    }

    /// <summary>Parks until it is chosen: <see langword="true"/>; or until the timeout, after which it is no longer announced.</summary>
    public bool Park(long timeoutNanoseconds)
    {
        Debug.Assert(_announced);
        if (_parker.AwaitToken(MonotonicClock.After(timeoutNanoseconds)))
        {
            _announced = false;
            return true;
        }

        return Withdraw();
    }

    /// <summary>The thread has ended, or was never started; it is not announced.</summary>
    public void Dispose()
    {
        Debug.Assert(!_announced);
        signal.RemoveWorker();
        _parker.Dispose();
    }
}
