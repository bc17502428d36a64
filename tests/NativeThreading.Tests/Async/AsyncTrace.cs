namespace NativeThreading.Tests.Async;

/// <summary>Notes on which side of the pool's border an async method is.</summary>
public sealed class AsyncTrace(NativeThreadPool pool)
{
    public const string Here = "on the pool, under its scheduler";
    public const string Elsewhere = "elsewhere";

    private readonly List<string> _places = [];

    public NativeThreadPool Pool => pool;

    public IReadOnlyList<string> Places
    {
        get
        {
            lock (_places)
            {
                return [.. _places];
            }
        }
    }

    public void Note()
    {
        bool onWorker = NativeThreadPool.Current == pool;
        bool underScheduler = TaskScheduler.Current == pool.Scheduler;
        lock (_places)
        {
            _places.Add(onWorker && underScheduler ? Here : onWorker || underScheduler ? "half left" : Elsewhere);
        }
    }
}
