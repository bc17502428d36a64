namespace NativeThreading.Tables.Soak.Watch;

/// <summary>What the process has of the machine at a moment.</summary>
internal readonly record struct Resources(int Threads, int Descriptors, long ResidentBytes, long ManagedBytes)
{
    public static Resources Now => new(
        ThreadList.Count, Directory.GetFileSystemEntries("/proc/self/fd").Length, Environment.WorkingSet, GC.GetTotalMemory(false));

    public static Resources Most(Resources one, Resources other) => new(
        Math.Max(one.Threads, other.Threads),
        Math.Max(one.Descriptors, other.Descriptors),
        Math.Max(one.ResidentBytes, other.ResidentBytes),
        Math.Max(one.ManagedBytes, other.ManagedBytes));

    public override string ToString() =>
        $"{Threads} threads, {Descriptors} descriptors, {ResidentBytes >> 20} MB resident, {ManagedBytes >> 20} MB managed";
}
