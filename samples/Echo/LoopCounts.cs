namespace NativeThreading.Samples.Echo;

/// <summary>What happened on one loop. Only its thread touches this, so nothing is interlocked.</summary>
internal sealed class LoopCounts
{
    private long? _begin;
    private long _excluded;
    private int _exclusions;

    public long Messages { get; private set; }

    public long Bytes { get; private set; }

    public long Connections { get; private set; }

    /// <summary>Managed bytes allocated by this thread since the first connection, but for those of <see cref="Excluded"/>.</summary>
    public long Allocated => _begin is long begin ? GC.GetAllocatedBytesForCurrentThread() - begin - _excluded : 0;

    public void CountMessage(int length)
    {
        Messages++;
        Bytes += length;
    }

    public void CountConnection() => Connections++;

    /// <summary>Until the result is disposed, allocations are those of opening or closing a connection. May be nested.</summary>
    public Exclusion Excluded()
    {
        long now = GC.GetAllocatedBytesForCurrentThread();
        _begin ??= now;
        _exclusions++;
        return new Exclusion(this, now);
    }

    public readonly ref struct Exclusion(LoopCounts counts, long begin)
    {
        public void Dispose()
        {
            if (--counts._exclusions == 0)
            {
                counts._excluded += GC.GetAllocatedBytesForCurrentThread() - begin;
            }
        }
    }
}
