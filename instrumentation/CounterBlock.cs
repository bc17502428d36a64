namespace NativeThreading.Instrumentation;

/// <summary>The counts of one thread, padded on both sides. Only its thread writes it; any thread may read it. It outlives its thread: what a worker has
/// counted stays in the sums.</summary>
internal sealed class CounterBlock
{
    private const int Padding = 16; // of eight bytes each: the pair of lines that x64 fetches together

    [ThreadStatic]
    private static CounterBlock? t_block;

    private static CounterBlock? s_newest;

    private readonly long[] _counts = new long[Padding + Counters.Length + Padding];
    private readonly CounterBlock? _older;

    private CounterBlock()
    {
        CounterBlock? newest;
        do
        {
            newest = Volatile.Read(ref s_newest);
            _older = newest;
        }
        while (Interlocked.CompareExchange(ref s_newest, this, newest) != newest);
    }

    /// <summary>The calling thread's; listed from its first count on.</summary>
    public static CounterBlock OfThisThread => t_block ??= new CounterBlock();

    public static void AddAllTo(long[] sums)
    {
        for (CounterBlock? block = Volatile.Read(ref s_newest); block is not null; block = block._older)
        {
            block.AddTo(sums);
        }
    }

    public void AddTo(long[] sums)
    {
        for (int i = 0; i < sums.Length; i++)
        {
            sums[i] += Volatile.Read(ref _counts[Padding + i]);
        }
    }

    public void Add(int index, int times)
    {
        ref long count = ref _counts[Padding + index];
        Volatile.Write(ref count, count + times);
    }
}
