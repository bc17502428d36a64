using System.ComponentModel;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Descriptors as the C library makes them; a failure that a test does not expect is an exception.</summary>
internal static unsafe partial class Libc
{
    public const int EBadF = 9;
    public const int EAgain = 11;
    public const int EPipe = 32;
    public const int ENotSock = 88;
    public const int EConnReset = 104;
    public const int ENotConn = 107;

    private const int NonBlockingCloseOnExec = 0x800 | 0x80000; // O_NONBLOCK | O_CLOEXEC, SOCK_NONBLOCK | SOCK_CLOEXEC
    private const int UnixFamily = 1;
    private const int StreamType = 1;
    private const int GetDescriptorFlags = 1; // F_GETFD
    private const int DuplicateCloseOnExec = 1030; // F_DUPFD_CLOEXEC

    public static (int Read, int Write) Pipe()
    {
        SkipWithoutIt();
        int* ends = stackalloc int[2];
        Check(pipe2(ends, NonBlockingCloseOnExec));
        return (ends[0], ends[1]);
    }

    public static (int One, int Other) SocketPair()
    {
        SkipWithoutIt();
        int* ends = stackalloc int[2];
        Check(socketpair(UnixFamily, StreamType | NonBlockingCloseOnExec, 0, ends));
        return (ends[0], ends[1]);
    }

    /// <summary>A test class that begins with a descriptor gets it before xunit asks what its tests need.</summary>
    private static void SkipWithoutIt()
    {
        if (!OperatingSystem.IsLinux())
        {
            NeedsNativeCoreAttribute.SkipUnlessMet(NeedsNativeCoreAttribute.Descriptors);
        }
    }

    public static int Duplicate(int descriptor) => Check(dup(descriptor));

    /// <summary>Has <paramref name="number"/> name the same file as <paramref name="descriptor"/>.</summary>
    public static void Duplicate(int descriptor, int number) => Check(dup2(descriptor, number));

    /// <summary>Under a number that is at least <paramref name="least"/>, far from those that others get.</summary>
    public static int DuplicateAbove(int descriptor, int least) => Check(fcntl(descriptor, DuplicateCloseOnExec, least));

    public static void Close(int descriptor) => Check(close(descriptor));

    public static bool IsOpen(int descriptor) => fcntl(descriptor, GetDescriptorFlags, 0) >= 0;

    /// <summary>How many bytes were taken; -1 where none is taken at present.</summary>
    public static long Write(int descriptor, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* memory = bytes)
        {
            return Moved(write(descriptor, memory, (nuint)bytes.Length));
        }
    }

    /// <summary>How many bytes there were, 0 at the end; -1 where nothing is there yet.</summary>
    public static long Read(int descriptor, Span<byte> bytes)
    {
        fixed (byte* memory = bytes)
        {
            return Moved(read(descriptor, memory, (nuint)bytes.Length));
        }
    }

    private static long Moved(nint result) => result < 0 && Marshal.GetLastPInvokeError() == EAgain ? -1 : Check((int)result);

    private static int Check(int result) => result >= 0 ? result : throw new Win32Exception(Marshal.GetLastPInvokeError());

    [LibraryImport("libc", SetLastError = true)]
    private static partial int pipe2(int* ends, int flags);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int socketpair(int family, int type, int protocol, int* ends);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int dup(int descriptor);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int dup2(int descriptor, int number);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int close(int descriptor);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int fcntl(int descriptor, int command, int argument);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint read(int descriptor, void* memory, nuint length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint write(int descriptor, void* memory, nuint length);
}
