namespace NativeThreading.Tests.Tasks;

/// <summary>Notes on which side of the pool's border an async method is.</summary>
public sealed class AsyncTrace(NativeThreadPool pool)
{
    public const string Here = "on the pool, where awaits come back to it";
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
        bool comesBack = TaskScheduler.Current == pool.Scheduler || pool.SwitchTo().GetAwaiter().IsCompleted;
        lock (_places)
        {
            _places.Add(onWorker && comesBack ? Here : onWorker || comesBack ? "half left" : Elsewhere);
        }
    }
}
