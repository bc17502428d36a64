namespace NativeThreading.Workloads.Blocked;

/// <summary>Threads that allocate flat out, so that the collector stops all threads again and again.</summary>
internal sealed class GcStorm : IDisposable
{
    private readonly Thread[] _threads;
    private volatile bool _stop;

    public GcStorm(int threads)
    {
        int before = GC.CollectionCount(0);
        _threads = [.. Enumerable.Range(0, threads).Select(_ => new Thread(Allocate) { IsBackground = true })];
        Array.ForEach(_threads, static thread => thread.Start());
        SpinWait.SpinUntil(() => GC.CollectionCount(0) > before + 2);
    }

    public void Dispose()
    {
        _stop = true;
        Array.ForEach(_threads, static thread => thread.Join());
    }

    private void Allocate()
    {
        object?[] kept = new object?[64];
        for (int i = 0; !_stop; i++)
        {
            kept[i % kept.Length] = new byte[1_000];
        }
    }
}
