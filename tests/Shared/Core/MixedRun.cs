using System.Collections.Concurrent;

namespace NativeThreading.Tests.Support;

/// <summary>Numbered items of every kind on one pool, and the count of how often each ran.</summary>
internal sealed class MixedRun(NativeThreadPool pool, int itemsPerProducer, int seed)
{
    private readonly ConcurrentDictionary<int, int> _ran = new();
    private readonly ConcurrentBag<Task> _tasks = [];
    private int _queued;
    private int _done;

    public void Produce(int producer)
    {
        var random = new Random((seed * 100) + producer);
        for (int i = 0; i < itemsPerProducer; i++)
        {
            Queue(random.Next(8), depth: random.Next(3));
            if (random.Next(100) == 0)
            {
                Thread.Yield(); // lets the workers run dry now and then
            }
        }
    }

    public void WaitAndCheck()
    {
        Deadline.Until(() => Volatile.Read(ref _done) == Volatile.Read(ref _queued), $"all of {_queued} items run");
        Deadline.Wait(Task.WhenAll(_tasks));
        pool.WaitUntilQuiet();
        Assert.Equal(_queued, _ran.Count);
        Assert.DoesNotContain(_ran, item => item.Value != 1);
    }

    private void Queue(int kind, int depth)
    {
        int number = Interlocked.Increment(ref _queued);
        void Item() => Ran(number, depth);
        switch (kind)
        {
            case 0:
                pool.QueueUserWorkItem(_ => Item());
                break;
            case 1:
                pool.UnsafeQueueUserWorkItem(_ => Item(), null);
                break;
            case 2:
                pool.QueueUserWorkItem(action => action(), Item, preferLocal: true);
                break;
            case 3:
                pool.UnsafeQueueUserWorkItem(action => action(), Item, preferLocal: false);
                break;
            case 4:
                pool.UnsafeQueueUserWorkItem(new Executable(Item), preferLocal: true);
                break;
            case 5:
                _tasks.Add(pool.Factory.StartNew(Item));
                break;
            case 6:
                _tasks.Add(pool.Factory.StartNew(Item, TaskCreationOptions.PreferFairness));
                break;
            default:
                _tasks.Add(pool.Run(async () =>
                {
                    await Task.Yield();
                    Item();
                    await Task.Yield();
                }));
                break;
        }
    }

    /// <summary>An item queues others of every kind, until the depth is used up.</summary>
    private void Ran(int number, int depth)
    {
        _ran.AddOrUpdate(number, 1, static (_, count) => count + 1);
        if (depth > 0)
        {
            Queue(number % 8, depth - 1);
            Queue((number + 3) % 8, depth: 0);
        }

        Interlocked.Increment(ref _done);
    }

    private sealed class Executable(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
