using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Harness;

/// <summary>Names the malloc of this process: a preloaded allocator moves native numbers by a factor of two (T124).</summary>
internal static partial class NativeAllocator
{
    private static readonly string[] s_known = ["jemalloc", "tcmalloc", "mimalloc"];

    public static string Describe()
    {
        string libc = Libc();
        string? loaded = File.Exists("/proc/self/maps")
            ? s_known.FirstOrDefault(name => File.ReadLines("/proc/self/maps").Any(l => l.Contains(name, StringComparison.Ordinal)))
            : null;
        return loaded is null ? $"{libc} malloc" : $"{loaded} over {libc}";
    }

    private static string Libc()
    {
        if (!OperatingSystem.IsLinux())
        {
            return "system";
        }

        try
        {
            return "glibc " + Marshal.PtrToStringAnsi(gnu_get_libc_version());
        }
        catch (EntryPointNotFoundException)
        {
            return "musl";
        }
    }

    [LibraryImport("libc")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint gnu_get_libc_version();
}
