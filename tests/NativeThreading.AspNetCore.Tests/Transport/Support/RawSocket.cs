using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>Calls of Linux on a socket that .NET does not offer.</summary>
internal static unsafe partial class RawSocket
{
    private const int SocketLevel = 1, PassDescriptors = 1; // SOL_SOCKET, SCM_RIGHTS
    private const int TcpLevel = 6, MaxSegment = 2;         // IPPROTO_TCP, TCP_MAXSEG
    private const nuint OutputQueue = 0x5411;               // SIOCOUTQ

    /// <summary>How many sent bytes the peer's system has not acknowledged.</summary>
    public static int Unacknowledged(Socket socket)
    {
        int count;
        Check(ioctl(socket.SafeHandle, OutputQueue, &count));
        return count;
    }

    /// <summary>Before it connects: segments as on an ordinary network.</summary>
    public static void LimitSegments(Socket socket) => socket.SetRawSocketOption(TcpLevel, MaxSegment, BitConverter.GetBytes(1_400));

    /// <summary>Sends all bytes in one message of a Unix socket, and a descriptor with them.</summary>
    public static void SendWithDescriptor(Socket socket, ReadOnlySpan<byte> bytes, SafeHandle descriptor)
    {
        var control = new Control
        {
            Length = (nuint)(sizeof(nuint) + (3 * sizeof(int))),
            Level = SocketLevel,
            Type = PassDescriptors,
            Descriptor = (int)descriptor.DangerousGetHandle(),
        };
        fixed (byte* memory = bytes)
        {
            var buffer = new Buffer { Memory = memory, Length = (nuint)bytes.Length };
            var message = new Message { Buffers = &buffer, BufferCount = 1, Control = &control, ControlLength = (nuint)sizeof(Control) };
            Assert.Equal(bytes.Length, Check(sendmsg(socket.SafeHandle, &message, 0)));
        }
    }

    private static nint Check(nint result) => result >= 0 ? result : throw new Win32Exception(Marshal.GetLastPInvokeError());

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int ioctl(SafeHandle descriptor, nuint request, int* value);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint sendmsg(SafeHandle descriptor, Message* message, int flags);

    private struct Buffer
    {
        public byte* Memory;
        public nuint Length;
    }

    private struct Message
    {
        public void* Name;
        public nuint NameLength;
        public Buffer* Buffers;
        public nuint BufferCount;
        public Control* Control;
        public nuint ControlLength;
        public int Flags;
    }

    private struct Control
    {
        public nuint Length;
        public int Level;
        public int Type;
        public int Descriptor;
    }
}
