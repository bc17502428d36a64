using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>
/// A group that is given a callback again and again from outside: its items share an object, and are items like any other. Only those that flow
/// nothing do, so no context of the test's thread may flow.
/// </summary>
public sealed class RepeatedCallTests
{
    private static readonly Action<object?> s_one = static _ => { };
    private static readonly Action<object?> s_other = static _ => { };

    [Fact]
    public void TheFirstCallback_ThatComesTwiceInARow_GetsACall()
    {
        using var pool = new NativeThreadPool();
        var context = new GroupContext(new WorkGroup(pool), flowed: null);

        Assert.Null(context.CallOf(s_one));
        Assert.Null(context.CallOf(s_other));
        Assert.Null(context.CallOf(s_one)); // turns make no objects
        RepeatedCall call = Assert.IsType<RepeatedCall>(context.CallOf(s_one));
        Assert.Same(s_one, call.Callback);
        Assert.Same(context, call.Context);

        Assert.Null(context.CallOf(s_other));
        Assert.Null(context.CallOf(s_other));
        Assert.Same(call, context.CallOf(s_one));
    }

    [Fact]
    public void ItemsOfSeveralCallbacks_EachRunTheirOwn()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        var group = new WorkGroup(pool);
        int[] counts = new int[2];
        Action<int[]>[] callbacks = [static counts => Interlocked.Increment(ref counts[0]), static counts => Interlocked.Increment(ref counts[1])];
        using (ExecutionContext.SuppressFlow())
        {
            for (int i = 0; i < 3_000; i++)
            {
                group.Queue(callbacks[i < 1_000 ? 0 : i & 1], counts);
            }
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal([2_000, 1_000], counts);
        Assert.Equal(0, group.PendingCount);
    }

    [Fact]
    public void ARepeatedItem_ThatThrows_FailsItsGroup()
    {
        using var pool = new NativeThreadPool();
        var group = new WorkGroup(pool, WorkGroupErrors.All);
        Action<int> fails = static number => throw new InvalidOperationException(number.ToString(System.Globalization.CultureInfo.InvariantCulture));
        using (ExecutionContext.SuppressFlow())
        {
            for (int i = 0; i < 10; i++)
            {
                group.Queue(fails, i);
            }
        }

        AggregateException failure = Assert.Throws<AggregateException>(() => Assert.True(group.Wait(Deadline.Time)));
        Assert.Equal(Enumerable.Range(0, 10), failure.InnerExceptions.Select(static one => int.Parse(one.Message, System.Globalization.CultureInfo.InvariantCulture)).Order());
    }

    /// <summary>A thread's number goes to another one when it has ended, and with it the place where the group counts.</summary>
    [Fact]
    public void ThreadsThatFollowEachOther_AreAllCounted()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        var group = new WorkGroup(pool);
        int count = 0;
        Action<object?> item = _ => Interlocked.Increment(ref count);
        for (int round = 0; round < 50; round++)
        {
            var thread = new Thread(() =>
            {
                for (int i = 0; i < 20; i++)
                {
                    group.Queue(item, null);
                }
            });
            thread.UnsafeStart();
            Deadline.Join(thread);
            using (ExecutionContext.SuppressFlow())
            {
                group.Queue(item, null);
            }
        }

        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal(50 * 21, count);
        Assert.Equal(0, group.PendingCount);
    }

    [Fact]
    public void SeveralProducers_LoseNothing()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 2 });
        var group = new WorkGroup(pool);
        int[] counts = new int[2];
        Action<int[]>[] callbacks = [static counts => Interlocked.Increment(ref counts[0]), static counts => Interlocked.Increment(ref counts[1])];
        Thread[] producers = [.. Enumerable.Range(0, 4).Select(producer => new Thread(() =>
        {
            for (int i = 0; i < 5_000; i++)
            {
                group.Queue(callbacks[(i / 5 + producer) % 2], counts);
            }
        }))];
        Array.ForEach(producers, static producer => producer.UnsafeStart());
        Array.ForEach(producers, static producer => Deadline.Join(producer));
        Assert.True(group.Wait(Deadline.Time));
        Assert.Equal([10_000, 10_000], counts);
    }
}
