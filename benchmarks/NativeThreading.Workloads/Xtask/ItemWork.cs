namespace NativeThreading.Workloads.Xtask;

/// <summary>What an item does: nothing, or one atomic increment of a counter that all items share.</summary>
internal sealed class ItemWork(bool increments)
{
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    private PaddedCount _count;

    public bool Increments { get; } = increments;

    /// <summary>How many items incremented.</summary>
    public long Count => Interlocked.Read(ref _count.Value);

    public static void Nothing(ItemWork _)
    {
    }

    public static void Increment(ItemWork work) => Interlocked.Increment(ref work._count.Value);
}
