using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Completions that come close together cost few system calls and no memory.</summary>
public sealed class OffloadBatchTests : IDisposable
{
    private const int Burst = 500;

    private readonly EventLoop _loop = new();
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);
    private readonly Action<object?> _offload;
    private readonly Action<object?> _completed;
    private readonly Action<object?> _look;
    private int _done;
    private long _bytes;
    private long _offloadBytes;

    public OffloadBatchTests()
    {
        _completed = _ => Volatile.Write(ref _done, _done + 1);
        _offload = _ => OffloadBurst();
        _look = _ => Volatile.Write(ref _bytes, GC.GetAllocatedBytesForCurrentThread());
    }

    public void Dispose()
    {
        _loop.Dispose();
        _pool.Dispose();
    }

    [Fact]
    public void T71_CompletionsWhileTheLoopIsBusy_CostNoWake()
    {
        EventLoopStats before;
        EventLoopStats after;
        using (new OccupiedLoop(_loop))
        {
            before = _loop.Stats;
            OffloadBurst();
            Deadline.Until(() => _loop.PendingCallbackCount == Burst);
            after = _loop.Stats;
        }

        Assert.Equal(before.SystemCalls, after.SystemCalls);
        Deadline.Until(() => Volatile.Read(ref _done) == Burst);
    }

    [Theory, CombinatorialBooleans]
    public void T71_ABurstOfCompletions_CostsFarFewerWakesThanCompletions(bool async)
    {
        // How many is the machine's business: the loop takes what is there and sleeps when it is faster than the work, as it is where
        // it takes the worker's processor at each wake. So one round in twenty must show it.
        const int rounds = 20;
        long fewest = long.MaxValue;
        for (int round = 1; round <= rounds; round++)
        {
            long before = _loop.Stats.Writes;
            if (async)
            {
                Deadline.Wait(Task.WhenAll(_loop.Call(() => Enumerable.Range(0, Burst)
                    .Select(_ => _loop.OffloadAsync(_pool, static () => { })).ToArray())));
            }
            else
            {
                _loop.UnsafePost(_offload, null);
                Deadline.Until(() => Volatile.Read(ref _done) == round * Burst);
            }

            fewest = Math.Min(fewest, _loop.Stats.Writes - before);
        }

        Assert.InRange(fewest, 0, Burst / 4);
    }

    [Theory, CombinatorialBooleans]
    public void TheCallbackForm_AllocatesNothing(bool fromLoop, bool withAsyncLocal)
    {
        var local = new AsyncLocal<string?>();
        (long Caller, long Loop) least = (long.MaxValue, long.MaxValue);
        StartGate.Run(1, _ =>
        {
            local.Value = withAsyncLocal ? "set" : null;
            for (int round = 0; round < 6 && (round < 2 || least != (0, 0)); round++)
            {
                (long caller, long loop) = Round(fromLoop);
                least = round == 0 ? least : (Math.Min(least.Caller, caller), Math.Min(least.Loop, loop));
            }
        });
        Assert.Equal((0, 0), least);
    }

    private (long Caller, long Loop) Round(bool fromLoop)
    {
        _offloadBytes = 0;
        long before = LoopsBytes();
        for (int burst = 0; burst < 20; burst++)
        {
            int expected = Volatile.Read(ref _done) + Burst;
            if (fromLoop)
            {
                _loop.Post(_offload, null);
            }
            else
            {
                OffloadBurst();
            }

            Deadline.Until(() => Volatile.Read(ref _done) == expected);
        }

        return (_offloadBytes, LoopsBytes() - before);
    }

    private void OffloadBurst()
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Burst; i++)
        {
            _loop.Offload(_pool, static _ => { }, _completed, this);
        }

        _offloadBytes += GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private long LoopsBytes()
    {
        Volatile.Write(ref _bytes, -1);
        _loop.UnsafePost(_look, null);
        Deadline.Until(() => Volatile.Read(ref _bytes) >= 0);
        return _bytes;
    }
}
