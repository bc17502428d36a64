using System.Collections.Concurrent;
using System.Reactive.Concurrency;
using System.Reactive.Linq;

namespace NativeThreading.Integration.Rx;

/// <summary>Rx with a TaskPoolScheduler over the pool's factory: ObserveOn takes a LongRunning task, all else takes workers.</summary>
public sealed class ObserveOnTests : PoolTest
{
    private readonly ConcurrentDictionary<(bool IsHere, string Thread), int> _seen = new();

    [Fact]
    public async Task ObserveOn_StaysOnThePool_OnAThreadOfItsOwn()
    {
        await Deadline.For(ObserveOnAsync(new TaskPoolScheduler(Pool.Factory)));
        Assert.Equal([(true, "long-running")], _seen.Keys);
        await Task.Run(() => Deadline.Until(() => Pool.LongRunningThreadCount == 0)); // not on that very thread
    }

    [Fact]
    public async Task ObserveOn_WithoutThreadsOfItsOwn_StaysOnWorkers()
    {
        await Deadline.For(ObserveOnAsync(new TaskPoolScheduler(Pool.Factory).DisableOptimizations(typeof(ISchedulerLongRunning))));
        Assert.Equal([(true, "worker")], _seen.Keys);
    }

    [Fact]
    public async Task ScheduledActions_AndTimers_StayOnWorkers()
    {
        var scheduler = new TaskPoolScheduler(Pool.Factory);
        using var ran = new CountdownEvent(2 * 50);
        for (int i = 0; i < 50; i++)
        {
            scheduler.Schedule(See);
            scheduler.Schedule(TimeSpan.FromMilliseconds(1), See);
        }

        await Task.Run(() => Deadline.Wait(ran));
        Assert.Equal([(true, "worker")], _seen.Keys);

        void See()
        {
            Note();
            ran.Signal();
        }
    }

    private Task ObserveOnAsync(IScheduler scheduler)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Observable.Range(0, Operations, ImmediateScheduler.Instance).ObserveOn(scheduler).Subscribe(_ => Note(), ended.SetException, ended.SetResult);
        return ended.Task;
    }

    private void Note()
    {
        string name = Thread.CurrentThread.Name ?? "";
        string kind = name == $"{Pool.Name}-long-running" ? "long-running" : name.StartsWith($"{Pool.Name}-worker-", StringComparison.Ordinal) ? "worker" : name;
        _seen.AddOrUpdate((NativeThreadPool.Current == Pool, kind), 1, static (_, times) => times + 1);
    }
}
