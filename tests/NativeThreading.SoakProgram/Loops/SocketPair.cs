using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace NativeThreading.SoakProgram.Loops;

/// <summary>Two connected sockets, of which a loop watches one. Their numbers are soon those of others.</summary>
internal sealed unsafe partial class SocketPair : IDisposable
{
    private const int UnixFamily = 1;
    private const int NonBlockingCloseOnExecStream = 1 | 0x800 | 0x80000;

    public SocketPair()
    {
        int* ends = stackalloc int[2];
        if (socketpair(UnixFamily, NonBlockingCloseOnExecStream, 0, ends) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }

        Here = new SafeSocketHandle(ends[0], ownsHandle: true);
        There = new SafeSocketHandle(ends[1], ownsHandle: true);
    }

    /// <summary>What the loop watches.</summary>
    public SafeSocketHandle Here { get; }

    /// <summary>What is written to from outside.</summary>
    public SafeSocketHandle There { get; }

    /// <summary>Writes to <see cref="There"/>. How many bytes were taken.</summary>
    public int Write(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* memory = bytes)
        {
            return (int)Math.Max(0, write(There, memory, (nuint)bytes.Length));
        }
    }

    public void Dispose()
    {
        Here.Dispose();
        There.Dispose();
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int socketpair(int family, int type, int protocol, int* ends);

    [LibraryImport("libc")]
    private static partial nint write(SafeSocketHandle descriptor, byte* buffer, nuint count);
}
