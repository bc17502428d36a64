using System.Runtime.InteropServices;

namespace NativeThreading.Workloads;

/// <summary>CPU time and context switches of the whole process so far, its ended threads included.</summary>
internal readonly partial record struct ProcessUsage(double CpuNanoseconds, long Switches)
{
    /// <summary>Null where getrusage has another layout than that of 64-bit Linux.</summary>
    public static ProcessUsage? Now()
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess || getrusage(0, out Usage usage) != 0)
        {
            return null;
        }

        double microseconds = ((usage.UserSeconds + usage.SystemSeconds) * 1e6) + usage.UserMicroseconds + usage.SystemMicroseconds;
        return new ProcessUsage(microseconds * 1e3, usage.VoluntarySwitches + usage.InvoluntarySwitches);
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrusage(int who, out Usage usage);

    /// <summary>struct rusage: two timeval, then fourteen long.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 144)]
    private struct Usage
    {
        [FieldOffset(0)]
        public long UserSeconds;

        [FieldOffset(8)]
        public long UserMicroseconds;

        [FieldOffset(16)]
        public long SystemSeconds;

        [FieldOffset(24)]
        public long SystemMicroseconds;

        [FieldOffset(128)]
        public long VoluntarySwitches;

        [FieldOffset(136)]
        public long InvoluntarySwitches;
    }
}
