namespace NativeThreading.Waiting;

/// <summary>
/// Waits for something that another thread does within nanoseconds, if it has a processor: polls a few times, then yields.
/// <see cref="SpinWait"/> would throw where the thread was interrupted (T137), and may sleep (T31).
/// </summary>
internal struct UninterruptedSpin
{
    private const int Polls = 10;

    private int _count;

    /// <summary>To be called between two looks.</summary>
    public void Once()
    {
        if (_count < Polls && Environment.ProcessorCount > 1)
        {
            Thread.SpinWait(4 << _count);
            _count++;
        }
        else
        {
            Thread.Yield();
        }
    }
}
