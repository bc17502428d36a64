namespace NativeThreading.Waiting;

/// <summary>
/// Waits for something that another thread does within nanoseconds, if it has a processor: polls a few times, then yields.
/// <see cref="SpinWait"/> would throw where the thread was interrupted (T137), and may sleep (T31).
/// </summary>
internal struct UninterruptedSpin
{
    private int _count;

    /// <summary>To be called between two looks.</summary>
    public void Once()
    {
        if (_count < SpinTuning.LockRounds && Environment.ProcessorCount > 1)
        {
            Thread.SpinWait(SpinTuning.LockPause << _count);
            _count++;
        }
        else
        {
            Thread.Yield();
        }
    }
}
