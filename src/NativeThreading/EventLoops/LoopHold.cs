using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops;

/// <summary>The answer to whether the caller is in the loop, which stays true until the end of this. Of a loop that does not hand over it is
/// the answer alone.</summary>
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

    /// <summary>Another thread may take the loop over again.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose() => _driver?.Release();
}
