using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops;

/// <summary>What keeps a descriptor open during a call that any thread may make: on the loop's thread the loop, in a handler that runs on
/// a former driver that handler, and elsewhere the use of the handle.</summary>
internal readonly ref struct WriteHold
{
    private readonly LoopHold _loop;
    private readonly EventLoopRegistration? _used;

    public WriteHold(LoopHold loop) => _loop = loop;

    /// <param name="used">Its handle is in use by the caller, which leaves with the end of this.</param>
    public WriteHold(EventLoopRegistration used) => _used = used;

    /// <summary>Whether the caller may not touch what belongs to the loop.</summary>
    public bool IsOutside => _used is not null;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        _loop.Dispose();
        _used?.LeaveHandle();
    }
}
