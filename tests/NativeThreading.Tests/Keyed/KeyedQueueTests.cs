using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Keyed;

/// <summary>Keys on the threads of a pool: fairness, concurrency, failures, memory.</summary>
public sealed class KeyedQueueTests
{
    [Fact]
    public void LongQueueOfAKey_LetsAnotherKeyRunAfterAFewItems()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var queue = new KeyedQueue<string>(pool);
        using var gate = new ManualResetEventSlim();
        int ran = 0;
        pool.QueueUserWorkItem(_ => Deadline.Wait(gate));
        for (int i = 0; i < 10_000; i++)
        {
            queue.Queue("busy", _ => ran++, 0);
        }

        Task<int> other = queue.Run("quiet", () => ran, CancellationToken.None);
        Task raw = pool.Run(() => { }, CancellationToken.None);
        gate.Set();
        Assert.InRange(Deadline.Result(other), 1, 4 * QueueTuning.TurnItems); // the two keys may lie in different shards
        Deadline.Wait(raw);
        pool.WaitUntilQuiet();
        Assert.Equal((10_000, 0), (ran, queue.KeyCount));
    }

    [Fact]
    public void KeyWithLongItems_PassesItsTurnByTheClock()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var queue = new KeyedQueue<string>(pool);
        using var gate = new ManualResetEventSlim();
        int ran = 0;
        pool.QueueUserWorkItem(_ => Deadline.Wait(gate));
        for (int i = 0; i < 20; i++)
        {
            queue.Queue("slow", _ =>
            {
                SpinWait.SpinUntil(static () => false, 1);
                ran++;
            }, 0);
        }

        Task<int> other = queue.Run("quiet", () => ran, CancellationToken.None);
        gate.Set();
        Assert.InRange(Deadline.Result(other), 1, 4 * 2); // the clock starts after the first item
    }

    /// <summary>The item of the pool has ended: only the note of the turn tells that the key is at work.</summary>
    [Fact]
    public void Drain_WaitsForAnAsyncFunction()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var queue = new KeyedQueue<string>(pool);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task open = queue.RunAsync("key", () => gate.Task, CancellationToken.None);
        Task<bool> next = queue.Run("key", () => NativeThreadPool.Current == pool, CancellationToken.None);
        pool.WaitUntilQuiet();
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        Assert.False(SpinWait.SpinUntil(() => stopped.IsCompleted, 20));
        gate.SetResult();
        Assert.True(Deadline.Result(next));
        Deadline.Wait(open);
        Assert.Equal(0, Deadline.Result(stopped));
    }

    [Fact]
    public void MaxConcurrencyPerKey_IsReached_AndNotExceeded()
    {
        using NativeThreadPool pool = Pools.WithThreads(4);
        var queue = new KeyedQueue<int>(pool, maxConcurrencyPerKey: 3);
        using var together = new Barrier(3);
        int running = 0;
        int most = 0;
        Task[] tasks = [.. Enumerable.Range(0, 30).Select(_ => queue.Run(
            1,
            () =>
            {
                Raise(ref most, Interlocked.Increment(ref running));
                Assert.True(together.SignalAndWait(Deadline.Time)); // three must run at once, thirty times
                Interlocked.Decrement(ref running);
            },
            CancellationToken.None))];
        Deadline.Wait(Task.WhenAll(tasks));
        Assert.Equal(3, most);
        pool.WaitUntilQuiet();
        Assert.Equal(0, queue.KeyCount);
    }

    [Fact]
    public void CallbackThatThrows_GoesToThePoolsHandler_AndTheLineContinues()
    {
        var handled = new List<Exception>();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            UnhandledException = exception =>
            {
                handled.Add(exception);
                return true;
            },
        });
        var sequencer = new Sequencer(pool);
        sequencer.Queue(static _ => throw new FormatException(), 0);
        sequencer.Context.Post(static _ => throw new InvalidCastException(), null);
        Deadline.Wait(sequencer.Run(static () => { }, CancellationToken.None));
        pool.WaitUntilQuiet();
        Assert.Equal([typeof(FormatException), typeof(InvalidCastException)], handled.Select(static exception => exception.GetType()).OrderBy(static type => type.Name));
    }

    [Fact]
    public void NothingIsKeptOfAnIdleKey()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var queue = new KeyedQueue<object>(pool);
        WeakReference[] keys = [.. Enumerable.Range(0, 10).Select(_ => Use(queue))];
        pool.WaitUntilQuiet();
        Assert.Equal(0, queue.KeyCount);
        Assert.All(keys, static key => Retention.AssertCollected(key));

        static WeakReference Use(KeyedQueue<object> queue)
        {
            object key = new();
            Deadline.Wait(queue.Run(key, static () => { }, CancellationToken.None));
            return new WeakReference(key);
        }
    }

    /// <summary>Callbacks wait as words in segments, calls and values as objects between them.</summary>
    [Fact]
    public void LongQueueOfAKey_KeepsOrderStateAndContext()
    {
        const int Items = 5 * QueueTuning.MostKeyedSegment;
        using NativeThreadPool pool = Pools.WithThreads(2);
        var queue = new KeyedQueue<int>(pool);
        var flowing = new AsyncLocal<int>();
        var ran = new List<(int Item, int Flowing)>(); // the key is its lock
        using var gate = new ManualResetEventSlim();
        queue.Queue(1, static gate => Deadline.Wait(gate), gate);
        for (int i = 0; i < Items; i++)
        {
            flowing.Value = i % 3 == 0 ? i : 0;
            int item = i;
            switch (i % 4)
            {
                case 0:
                    queue.Queue(1, item => ran.Add((item, flowing.Value)), item);
                    break;
                case 1:
                    _ = queue.Run(1, () => ran.Add((item, flowing.Value)), CancellationToken.None);
                    break;
                default:
                    queue.Queue(1, item => ran.Add(((int)item, flowing.Value)), (object)item);
                    break;
            }
        }

        gate.Set();
        Deadline.Wait(queue.Run(1, static () => { }, CancellationToken.None));
        Assert.Equal(Enumerable.Range(0, Items).Select(static i => (i, i % 3 == 0 ? i : 0)), ran);
    }

    /// <summary>A call that a callback has made refers to that callback, not to the next one of the key.</summary>
    [Fact]
    public void CallOfACallbackThatHasCompleted_MayRunForItsKey()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var queue = new KeyedQueue<int>(pool);
        using var gate = new ManualResetEventSlim();
        using var next = new ManualResetEventSlim();
        var going = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var call = new TaskCompletionSource<Task>();
        queue.Queue(1, static gate => Deadline.Wait(gate), gate);
        queue.Queue(1, call => call.SetResult(queue.Run(2, CallBack, CancellationToken.None)), call);
        queue.Queue(
            1,
            next =>
            {
                going.SetResult();
                Deadline.Wait(next);
            },
            next);
        gate.Set();
        Deadline.Wait(Deadline.Result(call.Task));

        async Task CallBack()
        {
            await going.Task;
            try
            {
                _ = queue.Run(1, static () => { }, CancellationToken.None); // the third item runs: it would be the caller
            }
            finally
            {
                next.Set();
            }
        }
    }

    [Fact]
    public void NothingIsKeptOfACallbackThatHasRun()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var sequencer = new Sequencer(pool);
        using var gate = new ManualResetEventSlim();
        sequencer.Queue(static gate => Deadline.Wait(gate), gate);
        WeakReference[] kept = [.. Enumerable.Range(0, 10).SelectMany(_ => Use(sequencer))];
        gate.Set();
        pool.WaitUntilQuiet();
        Assert.All(kept, static kept => Retention.AssertCollected(kept));
        GC.KeepAlive(sequencer);

        static WeakReference[] Use(Sequencer sequencer)
        {
            object state = new();
            object flowing = new();
            var local = new AsyncLocal<object?> { Value = flowing };
            sequencer.Queue(static _ => { }, state);
            local.Value = null;
            return [new WeakReference(state), new WeakReference(flowing)];
        }
    }

    /// <summary>The item of a key that waits for another thread's permit does not take the items of others with it.</summary>
    [Fact]
    public void CallThatIsRejectedWhileOthersJoinItsTurn_FailsAlone()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            MaxBlockedThreads = 0,
            QueueLimit = 1,
            QueueFullMode = QueueFullMode.Wait,
        });
        var queue = new KeyedQueue<string>(pool);
        using var gate = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        pool.QueueUserWorkItem(_ =>
        {
            entered.Set();
            Deadline.Wait(gate);
        });
        Deadline.Wait(entered);
        pool.QueueUserWorkItem(_ => { });
        Task waiting = queue.RunAsync("a", static () => { }, CancellationToken.None); // its turn waits for a permit
        Task joined = queue.RunAsync("a", static () => { }, CancellationToken.None);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None); // rejects callers that wait for permits
        Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(waiting));
        gate.Set();
        Deadline.Wait(joined);
        Deadline.Wait(stopped);
        Assert.Equal(0, queue.KeyCount);
    }

    private static void Raise(ref int most, int value)
    {
        for (int seen = most; seen < value; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }
}
