using System.Diagnostics;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>
/// A timer and a model of it: how often it may still fire, and since when. Requests are made under a lock, so that
/// their order is the model's. What another thread replaced may fire all the same if it was due before the call
/// returned, for the loop may have been calling back at that moment; from a deadline that still lay ahead it must not.
/// </summary>
internal sealed class ModelledTimer : IDisposable
{
    private const long Never = long.MaxValue;

    private readonly EventLoop _loop;
    private readonly EventLoopTimer _timer;
    private readonly Lock _lock = new();
    private long _notBefore = Never;
    private long _credit;
    private long _fired;

    public ModelledTimer(EventLoop loop)
    {
        _loop = loop;
        _timer = new EventLoopTimer(loop, static timer => ((ModelledTimer)timer!).Fire(), this);
    }

    public long Fired => Volatile.Read(ref _fired);

    public void Dispose() => _timer.Dispose();

    public void Arm(TimeSpan due)
    {
        lock (_lock)
        {
            long replaced = _notBefore;
            long deadline = Stopwatch.GetTimestamp() + (long)(due.TotalSeconds * Stopwatch.Frequency); // or later
            Interlocked.Increment(ref _credit);
            Volatile.Write(ref _notBefore, Math.Min(replaced, deadline));
            _timer.Arm(due);
            if (_loop.IsInLoop)
            {
                Volatile.Write(ref _credit, 1);
                Volatile.Write(ref _notBefore, deadline);
            }
            else if (WasInTimeFor(replaced))
            {
                Interlocked.Add(ref _credit, replaced == Never ? 0 : -1); // the new one may have fired already
                Volatile.Write(ref _notBefore, deadline);
            }
        }
    }

    public void Cancel()
    {
        lock (_lock)
        {
            _timer.Cancel();
            if (WasInTimeFor(_notBefore))
            {
                Silence();
            }
        }
    }

    /// <summary>Cancels and waits until the loop has come to it: whatever was armed, it must be silent now.</summary>
    public void CancelAndSync(Action passTurn)
    {
        lock (_lock)
        {
            _timer.Cancel();
            passTurn();
            Silence();
        }
    }

    /// <summary>On the loop, which does not wait: does nothing while another thread has the timer.</summary>
    public void TryOnLoop(Action<ModelledTimer> request)
    {
        if (_lock.TryEnter())
        {
            try
            {
                request(this);
            }
            finally
            {
                _lock.Exit();
            }
        }
    }

    // On the loop nothing can be under way.
    private bool WasInTimeFor(long deadline) => _loop.IsInLoop || deadline > Stopwatch.GetTimestamp();

    private void Silence()
    {
        Volatile.Write(ref _notBefore, Never);
        Volatile.Write(ref _credit, 0);
    }

    private void Fire()
    {
        long now = Stopwatch.GetTimestamp();
        _fired++;
        Assert.True(Interlocked.Decrement(ref _credit) >= 0, "A timer fired that was cancelled, or more often than it was armed.");
        Assert.True(now >= Volatile.Read(ref _notBefore), "A timer fired before its deadline.");
    }
}
