using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>Which of some sockets have something to read: bare epoll, because neither the runtime's sockets nor our loops may be part of what
/// measures them.</summary>
internal sealed unsafe partial class ReadableSockets : IDisposable
{
    private const int Add = 1, MostEvents = 64;
    private const uint Readable = 1;

    // struct epoll_event is packed on x64 alone: events, then the data.
    private static readonly bool s_isPacked = RuntimeInformation.ProcessArchitecture == Architecture.X64;
    private static readonly int s_size = s_isPacked ? 12 : 16, s_data = s_isPacked ? 4 : 8;

    private readonly int _epoll = Check(epoll_create1(0));
    private readonly byte[] _events = new byte[MostEvents * s_size];
    private readonly IReadOnlyList<Socket> _sockets; // and their handles live as long

    public ReadableSockets(IReadOnlyList<Socket> sockets)
    {
        _sockets = sockets;
        for (int i = 0; i < sockets.Count; i++)
        {
            MemoryMarshal.Write(_events, Readable);
            MemoryMarshal.Write(_events.AsSpan(s_data), i);
            fixed (byte* added = _events)
            {
                Check(epoll_ctl(_epoll, Add, (int)sockets[i].Handle, added));
            }
        }
    }

    /// <summary>Writes the positions of some that can be read from.</summary>
    /// <returns>How many; none where the time has passed.</returns>
    public int Wait(Span<int> ready, TimeSpan atMost)
    {
        int most = Math.Min(MostEvents, ready.Length), count;
        fixed (byte* events = _events)
        {
            count = Check(epoll_wait(_epoll, events, most, (int)Math.Ceiling(atMost.TotalMilliseconds)));
        }

        for (int i = 0; i < count; i++)
        {
            ready[i] = MemoryMarshal.Read<int>(_events.AsSpan((i * s_size) + s_data));
        }

        GC.KeepAlive(_sockets);
        return count;
    }

    /// <summary>The same, with a time that is not rounded up to a millisecond.</summary>
    public int WaitPrecisely(Span<int> ready, TimeSpan atMost)
    {
        var time = new Time { Nanoseconds = (nint)(Math.Max(0, atMost.Ticks) * TimeSpan.NanosecondsPerTick) };
        var epoll = new Polled { Descriptor = _epoll, Events = (short)Readable };
        return Check(ppoll(ref epoll, 1, in time, 0)) == 0 ? 0 : Wait(ready, TimeSpan.Zero);
    }

    public void Dispose() => _ = close(_epoll);

    private static int Check(int result) => result >= 0 ? result : throw new MeasurementException($"epoll failed: {Marshal.GetLastPInvokeErrorMessage()}");

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int epoll_create1(int flags);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int epoll_ctl(int epoll, int operation, int descriptor, byte* change);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int epoll_wait(int epoll, byte* events, int most, int milliseconds);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int ppoll(ref Polled descriptors, nint count, in Time atMost, nint signals);

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int close(int descriptor);

    [StructLayout(LayoutKind.Sequential)]
    private struct Polled
    {
        public int Descriptor;
        public short Events, Ready;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Seconds, Nanoseconds;
    }
}
