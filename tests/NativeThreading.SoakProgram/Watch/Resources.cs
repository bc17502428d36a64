namespace NativeThreading.SoakProgram.Watch;

/// <summary>What the process has of the machine at a moment.</summary>
/// <param name="Threads">All of them.</param>
/// <param name="OwnThreads">Without those of the runtime.</param>
/// <param name="Descriptors">Open ones.</param>
/// <param name="ResidentBytes">Memory.</param>
/// <param name="ManagedBytes">Of objects, which may be dead.</param>
internal readonly record struct Resources(int Threads, int OwnThreads, int Descriptors, long ResidentBytes, long ManagedBytes)
{
    public static Resources Now => new(
        ThreadList.Count, ThreadList.OwnCount, Directory.GetFileSystemEntries("/proc/self/fd").Length, Environment.WorkingSet, GC.GetTotalMemory(false));

    public static Resources Most(Resources one, Resources other) => new(
        Math.Max(one.Threads, other.Threads),
        Math.Max(one.OwnThreads, other.OwnThreads),
        Math.Max(one.Descriptors, other.Descriptors),
        Math.Max(one.ResidentBytes, other.ResidentBytes),
        Math.Max(one.ManagedBytes, other.ManagedBytes));

    public override string ToString() =>
        $"{Threads} threads ({OwnThreads} not the runtime's), {Descriptors} descriptors, {ResidentBytes >> 20} MB resident, {ManagedBytes >> 20} MB managed";
}
