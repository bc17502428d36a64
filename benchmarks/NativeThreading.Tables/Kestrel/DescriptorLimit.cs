using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Kestrel;

/// <summary>How many descriptors the processes that this one starts may have: the runtime raises its own limit up to the hard one.</summary>
internal static partial class DescriptorLimit
{
    private const int Descriptors = 7; // RLIMIT_NOFILE

    /// <summary>Raises it as far as the system lets us.</summary>
    /// <returns>What there is now, but no more than is needed.</returns>
    public static int Raise(int needed)
    {
        if (getrlimit(Descriptors, out Limit limit) != 0)
        {
            throw new MeasurementException($"the limit of descriptors is not known: {Marshal.GetLastPInvokeErrorMessage()}");
        }

        var wanted = new Limit { Soft = Math.Max(limit.Soft, (ulong)needed), Hard = Math.Max(limit.Hard, (ulong)needed) };
        ulong hard = limit.Hard >= (ulong)needed || setrlimit(Descriptors, in wanted) == 0 ? wanted.Hard : limit.Hard;
        return (int)Math.Min(hard, (ulong)needed);
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrlimit(int resource, out Limit limit);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int setrlimit(int resource, in Limit limit);

    [StructLayout(LayoutKind.Sequential)]
    private struct Limit
    {
        public ulong Soft, Hard;
    }
}
