using System.ComponentModel;
using System.Runtime.InteropServices;

namespace NativeThreading.Tests.Support;

/// <summary>Forbids the calling process one system call from now on, as the seccomp profile of a container does; for children of their own.</summary>
internal static unsafe partial class SystemCallFilter
{
    public const int NotPermitted = 1; // EPERM
    public const int NotImplemented = 38; // ENOSYS

    private const int NoNewPrivileges = 38, SetFilter = 1, OfAllThreads = 1; // PR_SET_NO_NEW_PRIVS, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
    private const ushort LoadWord = 0x20, JumpIfEqual = 0x15, Return = 0x06; // BPF
    private const uint Allow = 0x7fff0000, Fail = 0x00050000; // SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO

    /// <summary>The numbers of eventfd2 and seccomp.</summary>
    private static (uint EventDescriptor, int Filter) Numbers => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => (290, 317),
        Architecture.Arm64 => (19, 277),
        var other => throw new PlatformNotSupportedException($"{other}"),
    };

    /// <summary>eventfd2 fails with that error, on all threads.</summary>
    public static void ForbidEventDescriptors(int errno)
    {
        (uint eventDescriptor, int filter) = Numbers;
        Instruction* program = stackalloc Instruction[]
        {
            new(LoadWord, 0, 0, 0), // seccomp_data.nr
            new(JumpIfEqual, 0, 1, eventDescriptor),
            new(Return, 0, 0, Fail | (uint)errno),
            new(Return, 0, 0, Allow),
        };
        var whole = new Program { Length = 4, Instructions = program };
        if (prctl(NoNewPrivileges, 1, 0, 0, 0) != 0 || syscall(filter, SetFilter, OfAllThreads, (nint)(&whole)) != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int prctl(int option, nuint value, nuint third, nuint fourth, nuint fifth);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint syscall(nint number, nint operation, nint flags, nint program);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Instruction(ushort Code, byte IfTrue, byte IfFalse, uint Constant);

    [StructLayout(LayoutKind.Sequential)]
    private struct Program
    {
        public ushort Length;
        public Instruction* Instructions;
    }
}
