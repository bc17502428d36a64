using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>No queue starves while a thread floods another one.</summary>
public sealed class FairnessTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly ManualResetEventSlim _stop = new();

    public void Dispose()
    {
        _stop.Set();
        _pool.Dispose();
        _stop.Dispose();
    }

    [Theory, CombinatorialBooleans]
    public void T28_WorkerThatFeedsItself_StillServesOutsideThreads(bool preferLocal)
    {
        void Feed(object? state)
        {
            if (!_stop.IsSet)
            {
                _pool.QueueUserWorkItem(Feed, state, preferLocal);
            }
        }

        _pool.QueueUserWorkItem(Feed, (object?)null, preferLocal);
        foreach (int _ in Soak.Repeat(100))
        {
            using var served = new Observation<bool>(() => true);
            _pool.QueueUserWorkItem(served.Observe);
            Assert.True(served.Result);
        }
    }

    [Fact]
    public void T28_WorkerThatFeedsItsDeque_StillServesItsLane()
    {
        using var served = new Observation<bool>(() => true);
        void Feed(object? state)
        {
            if (!_stop.IsSet)
            {
                _pool.QueueUserWorkItem(Feed, state, preferLocal: true);
            }
        }

        _pool.OnWorker(() =>
        {
            _pool.QueueUserWorkItem(Feed, (object?)null, preferLocal: true);
            _pool.QueueUserWorkItem(served.Observe, (object?)null, preferLocal: false);
        });
        Assert.True(served.Result);
    }

    [Fact]
    public void T28_FloodFromOneOutsideThread_DoesNotStarveAnother()
    {
        // Outside threads are spread over shards: of a few flooders in a row one has the shard that the worker prefers.
        for (int i = 0; i < 4; i++)
        {
            using var flooder = new Flooder(_pool, backlog: 200);
            int served = 0;
            StartGate.Run(4, _ => _pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref served), null));
            long before = flooder.Count;
            Deadline.Until(() => Volatile.Read(ref served) == 4 || flooder.Count - before > 10_000);
            Assert.Equal(4, served);
        }
    }

    /// <summary>
    /// A thread that queues one item for each that runs, while it runs: its shard never empties, and no other thread touches
    /// it at that moment, so that a worker is never turned away from it by chance.
    /// </summary>
    private sealed class Flooder : IDisposable
    {
        private readonly NativeThreadPool _pool;
        private readonly SemaphoreSlim _wanted;
        private readonly SemaphoreSlim _queued = new(0);
        private readonly Thread _thread;
        private volatile bool _stopping;
        private long _count;

        public Flooder(NativeThreadPool pool, int backlog)
        {
            _pool = pool;
            _wanted = new SemaphoreSlim(backlog);
            _thread = new Thread(Flood);
            _thread.Start();
            Deadline.Until(() => _wanted.CurrentCount == 0);
        }

        public long Count => Volatile.Read(ref _count);

        public void Dispose()
        {
            _stopping = true;
            _wanted.Release();
            Deadline.Join(_thread);
            _queued.Release(1_000_000); // for the items that still wait for an answer
        }

        private void Flood()
        {
            while (true)
            {
                Deadline.Wait(_wanted);
                if (_stopping)
                {
                    return;
                }

                _pool.UnsafeQueueUserWorkItem(Ask, null);
                if (Interlocked.Increment(ref _count) > 200)
                {
                    _queued.Release();
                }
            }
        }

        private void Ask(object? state)
        {
            _wanted.Release();
            _queued.Wait(Deadline.Time);
        }
    }
}
