using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NativeThreading.Interop;

namespace NativeThreading.EventLoops;

/// <summary>
/// The array that polls fill, and how far the loop has come in it. Native memory: until the next poll the native loop
/// strikes out of it what becomes stale, so each event is read when its turn has come (T76).
/// </summary>
internal sealed unsafe class EventBatch
{
    private readonly NativeEvent* _events = (NativeEvent*)NativeMemory.Alloc(LoopTuning.EventsPerPoll, (nuint)sizeof(NativeEvent));
    private int _count;
    private int _next;

    ~EventBatch() => NativeMemory.Free(_events);

    /// <summary>Polls; what was left of the batch before is gone. Returns a count or -errno.</summary>
    public int Poll(nint loop, long timeoutNanoseconds, uint flags)
    {
        _next = 0;
        int count = NativeMethods.nth_event_loop_poll(loop, (nint)_events, LoopTuning.EventsPerPoll, timeoutNanoseconds, flags);
        _count = Math.Max(count, 0);
        return count;
    }

    /// <summary>
    /// Takes the next event that concerns a timer or a descriptor. It counts as seen to from here on, so that cancelling
    /// its timer from the callback finds nothing to strike out, and a callback that throws does not get it again.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTake(out NativeEvent taken)
    {
        while (_next < _count)
        {
            ref NativeEvent next = ref _events[_next++];
            if (next.Kind >= NativeEventKind.Timer)
            {
                taken = next;
                next.Kind = NativeEventKind.None;
                return true;
            }
        }

        taken = default;
        return false;
    }
}
