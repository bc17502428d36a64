using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops.Turns;

/// <summary>Reports whether the caller is in the loop, and keeps that true until it is disposed: no other thread takes the loop over meanwhile.
/// Without hand-over it only reports.</summary>
internal readonly ref struct LoopHold
{
    private readonly LoopDriver? _driver;

    /// <summary>Holds the loop if the caller is in it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public LoopHold(EventLoop loop)
    {
        bool isHeld = LoopThread.CurrentLoop == loop;
        if (isHeld && loop.HandOver is not null)
        {
            _driver = LoopDriver.Current;
            isHeld = _driver!.TryHold();
            _driver = isHeld ? _driver : null;
        }

        IsInLoop = isHeld;
    }

    /// <summary>Whether the caller is in the loop.</summary>
    public bool IsInLoop { get; }

    /// <summary>Releases the loop: another thread may take it over again.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose() => _driver?.Release();
}

/// <summary>What keeps a descriptor open during a call that any thread may make: on the loop's thread the loop, in a handler that runs on
/// a former driver that handler, and elsewhere the use of the handle.</summary>
internal readonly ref struct WriteHold
{
    private readonly LoopHold _loop;
    private readonly EventLoopRegistration? _used;

    public WriteHold(LoopHold loop) => _loop = loop;

    /// <param name="used">Its handle is in use by the caller, which leaves with the end of this.</param>
    public WriteHold(EventLoopRegistration used) => _used = used;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        _loop.Dispose();
        _used?.LeaveHandle();
    }
}
