using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using NativeThreading.Tests.Support;

namespace NativeThreading.Testing.Tests.Contract;

/// <summary>The loops of a scheduler do what those of <see cref="Parallel"/> do.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class LoopContract<TScheduler> : SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void EachIteration_RunsOnce(string loop)
    {
        using SchedulerUnderTest under = Create();
        foreach (int count in new[] { 0, 1, 2, 1000 })
        {
            var seen = new int[count];
            LoopCalls.Run(loop, under.Scheduler, count, i => Interlocked.Increment(ref seen[i]), CancellationToken.None);
            Assert.All(seen, static times => Assert.Equal(1, times));
        }

        under.RunInside(() => LoopCalls.Run(loop, under.Scheduler, 10, i => Note(under.IsCurrent ? $"{i}" : "elsewhere"), CancellationToken.None));
        Assert.Equal(Enumerable.Range(0, 10).Select(static i => $"{i}"), Log); // this pool has one thread
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void Exceptions_ComeTogether_AsFromParallel(string loop)
    {
        using SchedulerUnderTest under = Create();
        var thrown = Assert.Throws<AggregateException>(() => LoopCalls.Run(loop, under.Scheduler, 100, static i => Throw(i), CancellationToken.None));
        Assert.Equal(loop == "Invoke" ? 10 : 1, thrown.InnerExceptions.Count);
        Assert.All(thrown.InnerExceptions, static exception => Assert.IsType<FormatException>(exception));
        Assert.IsType<FormatException>(Assert.Throws<AggregateException>(() => Parallel.For(0, 100, static i => Throw(i))).InnerExceptions[0]);

        static void Throw(int i)
        {
            if (i % 10 == 5)
            {
                throw new FormatException();
            }
        }
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void Token_StopsTheLoop_AsThatOfParallel(string loop)
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        int ran = 0;
        CancellationToken token = source.Token;
        Assert.Equal(token, Assert.Throws<OperationCanceledException>(() => LoopCalls.Run(loop, under.Scheduler, 100, Cancel, token)).CancellationToken);
        Assert.Equal(5, ran);
        Assert.Throws<OperationCanceledException>(() => LoopCalls.Run(loop, under.Scheduler, 100, Cancel, token));
        Assert.Equal(5, ran);
        Assert.Throws<OperationCanceledException>(() => Parallel.For(0, 100, new ParallelOptions { CancellationToken = token }, Cancel));

        void Cancel(int i)
        {
            if (++ran == 5)
            {
                source.Cancel();
                token.ThrowIfCancellationRequested(); // the same cancellation again, which is no failure
            }
        }
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void ExceptionBesideACancellation_Comes(string loop)
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        var thrown = Assert.Throws<AggregateException>(() => LoopCalls.Run(
            loop,
            under.Scheduler,
            100,
            _ =>
            {
                source.Cancel();
                throw new FormatException();
            },
            source.Token));
        Assert.IsType<FormatException>(Assert.Single(thrown.InnerExceptions));
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void ContextOfTheCaller_FlowsToTheBody_AndIsTheCallersAgainAfterIt(string loop)
    {
        using SchedulerUnderTest under = Create();
        var local = new AsyncLocal<string?> { Value = "callers" };
        var seen = new ConcurrentBag<string?>();
        LoopCalls.Run(
            loop,
            under.Scheduler,
            1,
            _ =>
            {
                seen.Add(local.Value);
                local.Value = "bodys";
            },
            CancellationToken.None);
        Assert.Equal(["callers"], seen);
        Assert.Equal("callers", local.Value);
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void FullQueue_CostsHelpersOnly(string loop)
    {
        using SchedulerUnderTest under = Create(limit: 1);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(_ => { });
            int ran = 0;
            LoopCalls.Run(loop, under.Scheduler, 100, _ => Interlocked.Increment(ref ran), CancellationToken.None);
            Assert.Equal(100, ran);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ForEachAsync_RunsSoManyAtOnce_OnTheScheduler(bool isAsync)
    {
        using SchedulerUnderTest under = Create();
        int running = 0, most = 0, elsewhere = 0, ran = 0;
        Task loop = ForEachAsync(under, isAsync, 100, CancellationToken.None, async (_, _) =>
        {
            most = Math.Max(most, Interlocked.Increment(ref running)); // one thread
            for (int i = 0; i < 10; i++)
            {
                await Task.Yield(); // longer than the sequence takes to the next item
            }

            elsewhere += under.IsCurrent ? 0 : 1;
            Interlocked.Decrement(ref running);
            ran++;
        });
        Settle(under, loop);
        Deadline.Wait(loop);
        Assert.Equal((100, 3, 0, 0), (ran, most, elsewhere, running));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ForEachAsync_FailsWithTheExceptionsOfAllThatRan_AndCancelsThem(bool isAsync)
    {
        using SchedulerUnderTest under = Create();
        int started = 0;
        Task loop = ForEachAsync(under, isAsync, 100, CancellationToken.None, async (i, token) =>
        {
            if (++started == 3)
            {
                throw new FormatException();
            }

            await Task.Delay(Timeout.Infinite, token);
        });
        Settle(under, loop);
        Assert.Throws<FormatException>(() => Deadline.Wait(Task.WhenAny(loop.ContinueWith(
            static loop => throw loop.Exception!.InnerExceptions.OfType<FormatException>().Single(), TaskScheduler.Default)).Unwrap()));
        Assert.Equal((3, TaskStatus.Faulted, 3), (started, loop.Status, loop.Exception!.InnerExceptions.Count));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ForEachAsync_IsCancelledByItsToken(bool isAsync)
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        Task loop = ForEachAsync(under, isAsync, 100, source.Token, async (i, token) =>
        {
            await source.CancelAsync();
            token.ThrowIfCancellationRequested();
        });
        Settle(under, loop);
        Assert.Equal(source.Token, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(loop)).CancellationToken);
        Assert.True(loop.IsCanceled);
        Assert.True(ForEachAsync(under, isAsync, 1, source.Token, static (_, _) => default).IsCanceled);
    }

    [Fact]
    public void Shutdown_RejectsNewLoops_AndStopCancelsThemBeforeTheyStart()
    {
        using SchedulerUnderTest under = Create();
        using var source = new CancellationTokenSource();
        Task loop;
        using (under.HoldBack())
        {
            loop = ForEachAsync(under, isAsync: false, 100, CancellationToken.None, (_, _) =>
            {
                Note("ran");
                return default;
            });
            Task<long> stopped = under.ShutdownAsync(source.Token);
            Assert.Throws<ObjectDisposedException>(() => Deadline.Wait(ForEachAsync(under, isAsync: true, 1, CancellationToken.None, static (_, _) => default)));
            source.Cancel();
            Deadline.Wait(stopped);
        }

        Assert.Equal(source.Token, Assert.ThrowsAny<OperationCanceledException>(() => Deadline.Wait(loop)).CancellationToken);
        Assert.True(loop.IsCanceled);
        Assert.Empty(Log);
    }

    /// <summary>The first worker of the loop has a permit, and no other gets one: the calls run one after the other.</summary>
    [Fact]
    public void ForEachAsync_InAQueueThatIsFullAfterItsFirstCall_RunsFewerAtOnce()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        int running = 0, most = 0, ran = 0;
        Task loop = under.Scheduler.ForEachAsync(
            Items(),
            3,
            async (_, _) =>
            {
                most = Math.Max(most, ++running);
                await Task.Yield();
                running--;
                ran++;
            },
            CancellationToken.None);
        Settle(under, loop);
        Deadline.Wait(loop);
        Assert.Equal((10, 1), (ran, most));

        IEnumerable<int> Items()
        {
            Assert.True(under.Scheduler.TryQueueUserWorkItem(static _ => { }, null));
            for (int i = 0; i < 10; i++)
            {
                yield return i;
            }
        }
    }

    [Fact]
    public void ForEachAsync_InAFullQueue_Fails()
    {
        using SchedulerUnderTest under = Create(limit: 1);
        using (under.HoldBack())
        {
            under.Scheduler.QueueUserWorkItem(static _ => { });
            Task loop = ForEachAsync(under, isAsync: false, 10, CancellationToken.None, static (_, _) => default);
            Assert.Throws<QueueFullException>(() => Deadline.Wait(loop));
        }
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void LoopsOfARunningItem_RunWhileThePoolDrains(string loop)
    {
        using SchedulerUnderTest under = Create();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int ran = 0;
        Task operation = under.Scheduler.Run(
            async () =>
            {
                await gate.Task;
                LoopCalls.Run(loop, under.Scheduler, 10, _ => ran++, CancellationToken.None);
                await ForEachAsync(under, isAsync: true, 10, CancellationToken.None, (_, _) =>
                {
                    ran++;
                    return default;
                });
            },
            CancellationToken.None);
        Task<long> stopped = under.ShutdownAsync(CancellationToken.None);
        gate.SetResult();
        under.Until(() => stopped.IsCompleted);
        Deadline.Wait(operation);
        Assert.Equal((20, 0), (ran, Deadline.Result(stopped)));
    }

    [Theory, MemberData(nameof(LoopCalls.Names), MemberType = typeof(LoopCalls))]
    public void LoopThatHasStarted_RunsToItsEnd_WhenATokenStopsThePool(string loop)
    {
        using SchedulerUnderTest under = Create();
        int ran = 0;
        LoopCalls.Run(
            loop,
            under.Scheduler,
            100,
            _ =>
            {
                if (Interlocked.Increment(ref ran) == 1)
                {
                    Assert.Equal(0, Deadline.Result(under.ShutdownAsync(new CancellationToken(canceled: true))));
                }
            },
            CancellationToken.None);
        Assert.Equal(100, ran);
    }

    [Fact]
    public void BadArguments_AreNamed()
    {
        using SchedulerUnderTest under = Create();
        IWorkScheduler scheduler = under.Scheduler;
        CancellationToken none = CancellationToken.None;
        Assert.Throws<ArgumentNullException>("scheduler", () => WorkSchedulerLoopExtensions.For(null!, 0, 1, static (int _) => { }, none));
        Assert.Throws<ArgumentNullException>("body", () => scheduler.For(0, 1, (Action<int>)null!, none));
        Assert.Throws<ArgumentNullException>("body", () => scheduler.For(0L, 1L, (Action<long>)null!, none));
        Assert.Throws<ArgumentNullException>("source", () => scheduler.ForEach(null!, static (int _) => { }, none));
        Assert.Throws<ArgumentNullException>("source", () => Discard(scheduler.ForEachAsync((IEnumerable<int>)null!, 1, static (_, _) => default, none)));
        Assert.Throws<ArgumentNullException>("body", () => Discard(scheduler.ForEachAsync((int[])[], 1, null!, none)));
        Assert.Throws<ArgumentOutOfRangeException>("maxConcurrency", () => Discard(scheduler.ForEachAsync((int[])[], 0, static (_, _) => default, none)));
        Assert.Throws<ArgumentNullException>("actions", () => scheduler.Invoke((Action[])null!));
        Assert.Throws<ArgumentException>("actions", () => scheduler.Invoke(static () => { }, null!));
        scheduler.For(5, 0, static (int _) => throw new FormatException(), none);

        static void Discard(Task task) => _ = task;
    }

    [SuppressMessage("Design", "CA1068", Justification = "The body comes last, so that it can be long.")]
    private static Task ForEachAsync(
        SchedulerUnderTest under, bool isAsync, int count, CancellationToken token, Func<int, CancellationToken, ValueTask> body)
    {
        return isAsync
            ? under.Scheduler.ForEachAsync(Items(), 3, body, token)
            : under.Scheduler.ForEachAsync(Enumerable.Range(0, count), 3, body, token);

        async IAsyncEnumerable<int> Items()
        {
            for (int i = 0; i < count; i++)
            {
                await Task.Yield();
                yield return i;
            }
        }
    }

    private static void Settle(SchedulerUnderTest under, Task loop) => Deadline.Until(() =>
    {
        under.Settle();
        return loop.IsCompleted;
    });
}

public sealed class ManualLoopTests : LoopContract<ManualSchedulerUnderTest>;

public sealed class NativeLoopTests : LoopContract<NativeSchedulerUnderTest>;
