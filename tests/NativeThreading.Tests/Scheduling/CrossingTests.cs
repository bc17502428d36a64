using System.Runtime.CompilerServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Queues;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// The fences of the protocols, each with the partner that its comment names. On one processor this tests nothing; on two a
/// missing fence shows within the first thousands of rounds: each side has read the location before, so that its read is
/// over sooner than its write shows.
/// </summary>
public sealed class CrossingTests
{
    [Fact]
    public void T2_T63_PublicationInAShard_AgainstAConsumerThatFallsAsleep()
    {
        var shard = new InjectorShard();
        WorkItem item = default;
        int asleep = 0;
        void Reset()
        {
            while (shard.TryTake(ref item))
            {
            }

            Volatile.Write(ref asleep, 0);
        }

        bool Publish()
        {
            _ = Volatile.Read(ref asleep);
            shard.Enqueue(Rings.Callback, null, null);
            return Volatile.Read(ref asleep) != 0;
        }

        bool FallAsleep()
        {
            _ = shard.IsEmpty;
            Volatile.Write(ref asleep, 1);
            Interlocked.MemoryBarrier();
            return !shard.IsEmpty;
        }

        Assert.Equal(0, Crossing.Missed(Reset, Publish, FallAsleep));
    }

    [Fact]
    public void EndOfLooking_AgainstAProducerThatAsksNobody()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var worker = new Worker(pool, 0);
        int published = 0;
        void Reset()
        {
            Volatile.Write(ref published, 0);
            worker.BeginLooking();
        }

        bool EndAndLook()
        {
            _ = Volatile.Read(ref published);
            worker.EndLooking();
            return Volatile.Read(ref published) != 0;
        }

        bool Publish()
        {
            _ = worker.IsLooking;
            Volatile.Write(ref published, 1);
            Interlocked.MemoryBarrier();
            return !worker.IsLooking;
        }

        Assert.Equal(0, Crossing.Missed(Reset, EndAndLook, Publish));
    }

    [Fact]
    public void WaiterOfAGroup_AgainstTheLastCompletion()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        Task done = Task.CompletedTask;
        bool Wait()
        {
            _ = group.PendingCount;
            done = WhenDone(group);
            return false;
        }

        bool Complete()
        {
            _ = Volatile.Read(ref Awaited(group));
            group.Completed(1);
            return false;
        }

        // Either of the two has completed the task when both have returned.
        long told = 0, rounds = 0;
        void Reset()
        {
            told += done.IsCompleted ? 1 : 0;
            rounds++;
            done = Task.CompletedTask;
            Count(group).Add(1);
        }

        Crossing.Missed(Reset, Wait, Complete);
        Assert.Equal(rounds, told);
    }

    [Fact]
    public void T151_WorkerThatFallsAsleepInAGroup_AgainstAPublication()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        var shard = new InjectorShard();
        WorkItem item = default;
        void Reset()
        {
            while (shard.TryTake(ref item))
            {
            }

            group.WakeSleepers(); // that of the round before, unless it was woken
            Assert.False(group.MayHaveSleepers);
        }

        bool Publish()
        {
            _ = group.MayHaveSleepers;
            shard.Enqueue(Rings.Callback, null, null);
            bool isAnyAsleep = group.MayHaveSleepers;
            group.WakeSleepers();
            return isAnyAsleep;
        }

        bool Sleep()
        {
            _ = shard.IsEmpty;
            _ = FallAsleep(group);
            return !shard.IsEmpty;
        }

        Assert.Equal(0, Crossing.Missed(Reset, Publish, Sleep));
    }

    [Fact]
    public void T2_T71_LoopThatIsAboutToSleep_AgainstAPoster()
    {
        using var loop = new EventLoop();
        using var entered = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        loop.UnsafePost(
            _ =>
            {
                entered.Set();
                Deadline.Wait(leave);
            },
            null);
        Deadline.Wait(entered); // the loop's own thread touches nothing from here on
        LoopQueue queue = loop.Queue;
        bool sleeps = false;
        long lost = 0;
        void Reset()
        {
            lost += sleeps && Volatile.Read(ref Attentive(queue).Value) == 0 ? 1 : 0; // the poster has not seen that it has to wake
            WorkItem item = default;
            while (queue.Callbacks.TryTake(ref item))
            {
            }

            sleeps = false;
            queue.BecomeAttentive();
        }

        bool Sleep() => sleeps = queue.TryBecomeInattentive();
        bool Post() => queue.TryEnqueue(Rings.Callback, null, null);
        Crossing.Missed(Reset, Sleep, Post);
        Reset();
        leave.Set();
        Assert.Equal(0, lost);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_attentive")]
    private static extern ref PaddedIndex Attentive(LoopQueue queue);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "WhenDone")]
    private static extern Task WhenDone(WorkGroup group);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_awaited")]
    private static extern ref int Awaited(WorkGroup group);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_count")]
    private static extern ref GroupCount Count(WorkGroup group);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "FallAsleep")]
    private static extern GroupSleep FallAsleep(WorkGroup group);
}
