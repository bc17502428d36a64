using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Contract;

/// <summary>No lane starves, whoever floods another one.</summary>
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
        for (int i = 0; i < 100; i++)
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
        // Outside threads are spread over shards: each flooded one in turn, all of them probed.
        for (int flooder = 0; flooder < 4; flooder++)
        {
            using var stop = new ManualResetEventSlim();
            using var flooding = new ManualResetEventSlim();
            int backlog = 0;
            var flood = new Thread(() =>
            {
                while (!stop.IsSet)
                {
                    if (Volatile.Read(ref backlog) < 1_000)
                    {
                        Interlocked.Increment(ref backlog);
                        _pool.UnsafeQueueUserWorkItem(
                            _ =>
                            {
                                Interlocked.Decrement(ref backlog);
                                Thread.SpinWait(100); // slower than the flooder, so that its shard never empties
                            },
                            null);
                    }
                    else
                    {
                        flooding.Set();
                    }
                }
            });
            flood.Start();
            try
            {
                Deadline.Wait(flooding);
                StartGate.Run(4, _ =>
                {
                    using var served = new Observation<bool>(() => true);
                    _pool.UnsafeQueueUserWorkItem(served.Observe, null);
                    Assert.True(served.Result);
                });
            }
            finally
            {
                stop.Set();
                Deadline.Join(flood);
            }
        }
    }
}
