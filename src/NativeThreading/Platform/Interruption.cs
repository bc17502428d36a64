using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>A <c>Thread.Interrupt</c> that came after the wait it was meant for, and is still pending.</summary>
internal static class Interruption
{
    private static readonly ManualResetEvent s_set = new(initialState: true);

    /// <summary>Drops a pending interrupt of the calling thread, and says whether there was one. If there is none it takes a quarter of a
    /// microsecond, and some 16 behind a sleep of 10 ms, for its code and locks are cold then.</summary>
    public static bool Drop()
    {
        try
        {
            s_set.WaitOne(0); // any wait throws it, also one that does not block
            return false;
        }
        catch (ThreadInterruptedException)
        {
            return true;
        }
    }

    /// <summary>Calls a function that waits. An interrupt does not end the wait. It stays pending, so the caller gets it in a wait of its own.</summary>
    public static void HoldDuring<TArgument>(TArgument argument, Action<TArgument> wait)
    {
        bool interrupted = false;
        while (true)
        {
            try
            {
                wait(argument);
                break;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}

/// <summary>Decides when an idle worker drops an interrupt that its items may have left (T137). The check is a runtime wait that touches otherwise
/// cold code and locks: with rare items and cold caches it was a third of what a hand-over cost the worker.</summary>
/// <remarks>Code that interrupts an item has usually waited for that item for a while. So a worker checks after long runs, and now and then after
/// short ones. No wait of the library depends on the check, because all of them absorb an interrupt. A leftover interrupt can reach only a wait of a
/// later item. Used by the worker's own thread only.</remarks>
internal struct LeftoverInterrupt
{
    private long _runsSince; // 0, the start of the machine, until the worker has parked once: so a new worker checks
    private int _shortRuns;

    public LeftoverInterrupt()
    {
    }

    /// <summary>The worker was woken and starts to run items.</summary>
    public void NoteRun(long now) => _runsSince = now;

    /// <summary>The worker has no more items. Returns <see langword="true"/> if an interrupt was dropped.</summary>
    public bool DropIfDue(long now)
    {
        if (now - _runsSince < WorkerTuning.ShortRun && ++_shortRuns < WorkerTuning.MostRunsBetweenDrops)
        {
            return false;
        }

        _shortRuns = 0;
        return Interruption.Drop();
    }
}

/// <summary>Handles the abort of a thread inside a call of this library. <c>ControlledExecution.Run</c> aborts a thread between any two instructions
/// of managed code. A claimed slot that is never filled, or a request that no thread answers, would then keep a pool or a loop waiting indefinitely,
/// without a message. So the process ends. The runtime itself does not survive each abort either.</summary>
/// <remarks>It guards the ways from an item, and from outside, to the state that other threads rely on. What a worker does to its own queues needs no
/// guard: an item whose push was aborted was not queued, and the next push uses the slot. What it does for a thief, or as one, needs it. A finally
/// block is no guard: an abort was seen inside one.</remarks>
internal static class ThreadAbort
{
    /// <summary>An exception filter around a change. A filter runs before any frame is left, so the report shows where the abort hit. Returns <see
    /// langword="false"/> for every other exception, which then continues unchanged.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool EndsProcess(Exception exception)
    {
        if (exception is ThreadAbortException)
        {
            Environment.FailFast(
                "A thread was aborted inside a call of NativeThreading, probably by ControlledExecution.Run. Other threads would wait indefinitely for what the call has left undone, so the process ends. Do not queue work or wait in code that may be aborted.",
                exception);
        }

        return false;
    }
}
