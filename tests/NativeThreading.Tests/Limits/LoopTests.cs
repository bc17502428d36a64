using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>A loop that hands work to a pool whose queue is full: its thread never blocks for a permit.</summary>
public sealed class LoopTests : IDisposable
{
    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void Offload_WaitsForAPermit_AndTheLoopGoesOn()
    {
        using var completed = new ManualResetEventSlim();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            _loop.Call(() => _loop.Offload(pool, _ => { }, _ => completed.Set(), null));
            Assert.Equal(1, pool.Probe.WaitingCallers);
            _loop.Call(() => Assert.False(completed.IsSet)); // it turns
        }

        Deadline.Wait(completed);
        pool.AssertEmpty();
    }

    [Fact]
    public void Offload_FromAnotherThread_BlocksThatThread()
    {
        using var completed = new ManualResetEventSlim();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait);
        using var caller = new Caller(() => _loop.Offload(pool, _ => { }, _ => completed.Set(), null));
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            caller.Start();
            pool.WaitForWaiters(1);
            Assert.False(caller.HasReturned);
        }

        Deadline.Wait(completed);
        pool.AssertEmpty();
    }

    [Fact]
    public void Offload_IsRefused_AndTheLoopOwesNothing()
    {
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Reject);
        bool ran = false;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            _loop.Call(() => Assert.Throws<QueueFullException>(() => _loop.Offload(pool, _ => ran = true, _ => ran = true, null)));
            Assert.Throws<QueueFullException>(() => _loop.Offload(pool, _ => ran = true, _ => ran = true, null));
            Deadline.Wait(_loop.ShutdownAsync(CancellationToken.None)); // it waits for no completion
        }

        pool.AssertEmpty();
        Assert.False(ran);
    }

    [Fact]
    public void Offload_RunsOnTheLoop_WhereTheModeSaysSo()
    {
        using var completed = new ManualResetEventSlim();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.RunOnCaller);
        EventLoop? ranOn = null;
        using (new BlockedWorkers(pool, 1))
        {
            pool.Fill();
            _loop.Call(() => _loop.Offload(pool, _ => ranOn = EventLoop.Current, _ => completed.Set(), null));
            Deadline.Wait(completed);
        }

        Assert.Same(_loop, ranOn);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OffloadAsync_WaitsWithoutAThread_OrFails(bool fromLoop)
    {
        using NativeThreadPool waiting = Limited.Pool(1, QueueFullMode.Wait), rejecting = Limited.Pool(1, QueueFullMode.Reject);
        Task<int>? accepted = null, refused = null;
        void Offload()
        {
            accepted = _loop.OffloadAsync(waiting, () => 42);
            refused = _loop.OffloadAsync(rejecting, () => 42);
        }

        using (new BlockedWorkers(waiting, 1))
        using (new BlockedWorkers(rejecting, 1))
        {
            waiting.Fill();
            rejecting.Fill();
            if (fromLoop)
            {
                _loop.Call(Offload);
            }
            else
            {
                Offload();
            }

            Assert.Equal((1, false), (waiting.Probe.WaitingCallers, accepted!.IsCompleted));
            await Assert.ThrowsAsync<QueueFullException>(() => Deadline.For(refused!));
        }

        Assert.Equal(42, await Deadline.For(accepted));
    }

    private sealed class Caller(Action call) : IDisposable
    {
        private Thread? _thread;
        private volatile bool _hasReturned;

        public bool HasReturned => _hasReturned;

        public void Start()
        {
            _thread = new Thread(() =>
            {
                call();
                _hasReturned = true;
            })
            {
                IsBackground = true,
            };
            _thread.Start();
        }

        public void Dispose() => Deadline.Join(_thread!);
    }
}
