using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

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
