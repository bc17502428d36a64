using System.ComponentModel;
using System.Runtime.InteropServices;

namespace NativeThreading.Tests.Support;

/// <summary>A limit of the calling process (ulimit), put back when disposed; for children of their own.</summary>
internal sealed partial class ResourceLimit : IDisposable
{
    private const int OpenFiles = 7;
    private const int AddressSpace = 9;

    private readonly int _resource;
    private readonly Limits _before;

    private ResourceLimit(int resource, ulong limit)
    {
        _resource = resource;
        Check(getrlimit(resource, out _before));
        Check(setrlimit(resource, _before with { Soft = limit }));
    }

    /// <summary>Leaves the process this much address space beyond what it has.</summary>
    public static ResourceLimit MoreMemory(long bytes)
    {
        long pages = long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture);
        return new ResourceLimit(AddressSpace, (ulong)((pages * Environment.SystemPageSize) + bytes));
    }

    /// <summary>Leaves the process no file descriptor.</summary>
    public static ResourceLimit NoMoreFiles() => new(OpenFiles, 0);

    public void Dispose() => Check(setrlimit(_resource, _before));

    private static void Check(int result)
    {
        if (result != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int setrlimit(int resource, in Limits limits);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Limits(ulong Soft, ulong Hard);
}
