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
    private readonly List<int> _taken = [];

    private ResourceLimit(int resource, ulong limit)
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Linux); // the limits' numbers are Linux's
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

    /// <summary>The same where a thread waits for descriptors by poll, which takes no more of them than the limit: there are few, and all are
    /// taken.</summary>
    public static ResourceLimit NoFreeFiles()
    {
        var limit = new ResourceLimit(OpenFiles, 8);
        for (int copy = dup(1); copy >= 0; copy = dup(1))
        {
            limit._taken.Add(copy);
        }

        return limit;
    }

    public void Dispose()
    {
        Check(setrlimit(_resource, _before));
        _taken.ForEach(static copy => Check(close(copy)));
    }

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

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int dup(int descriptor);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int close(int descriptor);

    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Limits(ulong Soft, ulong Hard);
}
