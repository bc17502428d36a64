using System.Runtime.InteropServices;

namespace NativeThreading.Platform;

/// <summary>nth_event_t: one entry of the array that a poll fills.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct NativeEvent
{
    public ulong Token;
    public NativeEventKind Kind;
    public uint Flags;
}

/// <summary>NTH_EVENT_*.</summary>
internal enum NativeEventKind : uint
{
    None = 0,
    Wake = 1,
    Timer = 2,
    Ready = 3,
}

/// <summary>nth_event_loop_stats_t: system calls of a loop since its creation.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EventLoopStats
{
    public long Waits;
    public long Controls;
    public long Writes;
    public long Reads;
    public long Lingers;
    public long Looks;

    /// <summary>Waits that may have slept.</summary>
    public readonly long Sleeps => Waits - Looks;

    /// <summary>All system calls. Lingering makes only those that check descriptors.</summary>
    public readonly long SystemCalls => Waits + Controls + Writes + Reads;
}

/// <summary>nth_buffer_t: a block of memory to write from.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct NativeBuffer
{
    public void* Base;
    public ulong Length;
}
