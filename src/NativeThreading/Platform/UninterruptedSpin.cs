namespace NativeThreading.Platform;

/// <summary>Waits for something that another thread does within nanoseconds, if it has a processor: <see cref="SpinRule"/> by
/// rounds. <see cref="SpinWait"/> would throw where the thread was interrupted (T137), and may sleep (T31).</summary>
internal struct UninterruptedSpin
{
    private int _round;

    /// <summary>To be called between two looks.</summary>
    public void Once()
    {
        bool polledFreely = _round == SpinTuning.LockRounds || Environment.ProcessorCount == 1;
        SpinRule.Pause(SpinRule.Yields(polledFreely, crowded: true), SpinTuning.LockPause << _round);
        _round += polledFreely ? 0 : 1;
    }
}
