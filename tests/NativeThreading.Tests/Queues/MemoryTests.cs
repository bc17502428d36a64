using System.Net.Sockets;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Queues;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Queues;

/// <summary>Managed memory runs out where the library's structures grow: the call throws, nothing is lost or half done.</summary>
[Trait("Category", "Fault")]
public sealed class MemoryTests
{
    [Fact]
    public void NoSegment_TheItemIsNotQueued_AndThoseBeforeItRunOnce()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        int ran = 0, queued = 0;
        using (new BlockedWorkers(pool, 1))
        {
            using (new FailingGrowth("segment"))
            {
                FailingGrowth.AssertEndsInIt(() =>
                {
                    pool.UnsafeQueueUserWorkItem(_ => ran++, null);
                    queued++;
                });
                Assert.ThrowsAny<OutOfMemoryException>(() => pool.UnsafeQueueUserWorkItem(_ => ran++, null));
                Assert.Equal(queued, pool.PendingWorkItemCount);
            }

            pool.UnsafeQueueUserWorkItem(_ => ran++, null);
        }

        pool.OnWorker(static () => { });
        Assert.Equal(queued + 1, ran);
    }

    [Fact]
    public void NoSegmentInTheMiddleOfABatch_WhatWasQueuedRunsWithoutAnotherCall()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        new BlockedWorkers(pool, 2).Dispose();
        pool.WaitUntilQuiet();
        const int left = 3;
        for (int i = 2; i < InjectorSegment.Size - left; i++)
        {
            pool.UnsafeQueueUserWorkItem(static _ => { }, null);
        }

        int ran = 0;
        var group = new WorkGroup(pool);
        using (new FailingGrowth("segment"))
        {
            Assert.ThrowsAny<OutOfMemoryException>(
                () => group.QueueRange(_ => Interlocked.Increment(ref ran), new int[QueueTuning.ShortestRange - 1]));
        }

        Assert.True(group.Wait(Deadline.Time), $"{group.PendingCount} queued items wait indefinitely");
        Assert.Equal(left, ran);
    }

    [Fact]
    public void NoRangeInTheMiddleOfABatch_WhatWasQueuedRunsWithoutAnotherCall()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        new BlockedWorkers(pool, 2).Dispose();
        pool.WaitUntilQuiet();
        int ran = 0;
        var group = new WorkGroup(pool);
        using (new FailingGrowth("range", first: 2))
        {
            Assert.ThrowsAny<OutOfMemoryException>(
                () => group.QueueRange(_ => Interlocked.Increment(ref ran), new int[2 * QueueTuning.LongestRange]));
        }

        Assert.True(group.Wait(Deadline.Time), $"{group.PendingCount} queued items wait indefinitely");
        Assert.Equal(QueueTuning.LongestRange, ran);
    }

    [Fact]
    public void NoSegmentForARange_NothingIsQueuedOrCounted()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        using (new FailingGrowth("segment"))
        {
            FailingGrowth.AssertEndsInIt(() => pool.UnsafeQueueUserWorkItem(static _ => { }, null));
            long pending = pool.PendingWorkItemCount;
            Assert.ThrowsAny<OutOfMemoryException>(() => group.QueueRange(static _ => { }, new int[QueueTuning.ShortestRange]));
            Assert.Equal((pending, 0L), (pool.PendingWorkItemCount, group.PendingCount));
        }

        pool.WaitUntilQuiet();
    }

    [Fact]
    public void NoSegmentWithALimit_ThePermitIsFreeAgain()
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            MaxBlockedThreads = 0,
            QueueLimit = 2 * InjectorSegment.Size,
            QueueFullMode = QueueFullMode.Reject,
        });
        int ran = 0, queued = 0;
        using (new BlockedWorkers(pool, 1))
        {
            using (new FailingGrowth("segment"))
            {
                for (int i = 0; i < 2 * InjectorSegment.Size; i++)
                {
                    queued += Record.Exception(() => pool.UnsafeQueueUserWorkItem(_ => ran++, null)) is null ? 1 : 0;
                }

                Assert.InRange(queued, 1, InjectorSegment.Size);
            }

            for (; queued < pool.QueueLimit; queued++)
            {
                pool.UnsafeQueueUserWorkItem(_ => ran++, null);
            }

            Assert.Throws<QueueFullException>(() => pool.UnsafeQueueUserWorkItem(_ => ran++, null));
        }

        Deadline.Until(() => Volatile.Read(ref ran) == queued);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void NoRing_TheWorkersItemIsNotQueued_AndThoseBeforeItRunOnce(bool preferLocal)
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        int ran = 0;
        int queued = pool.OnWorker(() =>
        {
            int queued = 0;
            using (new FailingGrowth("ring"))
            {
                FailingGrowth.AssertEndsInIt(() =>
                {
                    pool.UnsafeQueueUserWorkItem(_ => ran++, 0, preferLocal);
                    queued++;
                });
            }

            pool.UnsafeQueueUserWorkItem(_ => ran++, 0, preferLocal);
            return queued + 1;
        });
        pool.WaitUntilQuiet();
        Assert.Equal(queued, ran);
    }

    [Fact]
    public void NoRingInTheMiddleOfAWorkersBatch_WhatWasQueuedRuns()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        new BlockedWorkers(pool, 2).Dispose();
        pool.WaitUntilQuiet();
        int ran = 0;
        using var others = new ManualResetEventSlim();
        pool.OnWorker(() =>
        {
            var group = new WorkGroup(pool);
            using (new FailingGrowth("ring"))
            {
                Assert.ThrowsAny<OutOfMemoryException>(() => group.QueueRange(
                    _ =>
                    {
                        Interlocked.Increment(ref ran);
                        others.Set();
                    },
                    [.. Enumerable.Range(0, 1_000)]));
            }

            Deadline.Wait(others); // on the other worker: this one is busy here
            Assert.True(group.Wait(Deadline.Time));
        });
        Assert.InRange(ran, 1, 999);
    }

    [Fact]
    public void NoWorker_QueueingThrowsBeforePublishing_OrTheThreadsThereAreDoTheWork()
    {
        using NativeThreadPool pool = Pools.WithThreads(3);
        int ran = 0;
        using (new FailingGrowth("worker"))
        {
            Assert.ThrowsAny<OutOfMemoryException>(() => pool.UnsafeQueueUserWorkItem(_ => ran++, null));
            Assert.Equal((0L, 0), (pool.PendingWorkItemCount, pool.ThreadCount));
        }

        pool.OnWorker(static () => { });
        using (new FailingGrowth("worker"))
        {
            using (new BlockedWorkers(pool, 1))
            {
                pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
            }

            Deadline.Until(() => Volatile.Read(ref ran) == 1);
            Assert.Equal(1, pool.ThreadCount);
        }
    }

    [Fact]
    public void NoRoomForATimer_ArmingThrows_AndTheLoopTakesOthersLater()
    {
        using var loop = new EventLoop();
        int fired = 0;
        loop.Call(() =>
        {
            int armed = 0;
            void Arm() => new EventLoopTimer(loop, _ => fired++, null).Arm(TimeSpan.Zero);
            using (new FailingGrowth("targets"))
            {
                for (int i = 0; i < 3; i++)
                {
                    FailingGrowth.AssertEndsInIt(() =>
                    {
                        Arm();
                        armed++;
                    });
                }
            }

            for (; armed < 100; armed++)
            {
                Arm();
            }
        });
        Deadline.Until(() => Volatile.Read(ref fired) == 100);
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void NoRoomForARegistration_TheHandleIsLetGo()
    {
        using var loop = new EventLoop();
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        SafeHandleView handle = new(socket);
        loop.Call(() =>
        {
            while (loop.Targets.HasRoom)
            {
                loop.Targets.Add(new object());
            }
        });
        using (new FailingGrowth("targets"))
        {
            Assert.ThrowsAny<OutOfMemoryException>(
                () => loop.Register(socket.SafeHandle, EventLoopInterest.Read, static (_, _) => { }, null));
        }

        socket.Dispose();
        Deadline.Until(() => !handle.IsOpen, "no code holds the handle any more");
    }

    /// <summary>Whether the file behind a socket's number is still that socket.</summary>
    private sealed class SafeHandleView(Socket socket)
    {
        private readonly string _link = $"/proc/self/fd/{socket.SafeHandle.DangerousGetHandle()}";
        private readonly string? _target = File.ResolveLinkTarget($"/proc/self/fd/{socket.SafeHandle.DangerousGetHandle()}", false)?.Name;

        public bool IsOpen => Path.Exists(_link) && File.ResolveLinkTarget(_link, false)?.Name == _target;
    }

    [Fact]
    public void TargetTable_ThatCouldNotGrow_IsAsItWas()
    {
        var table = new TargetTable();
        var targets = new List<object>();
        using (new FailingGrowth("targets"))
        {
            FailingGrowth.AssertEndsInIt(() =>
            {
                var target = new object();
                int index = table.Add(target);
                targets.Add(target);
                Assert.Equal(targets.Count - 1, index);
            });
            Assert.ThrowsAny<OutOfMemoryException>(() => table.Add(new object()));
            table.Remove(0);
            Assert.Equal(0, table.Add(targets[0]));
        }

        Assert.Equal(targets.Count, table.Add(new object()));
        for (int index = targets.Count; index >= 0; index--)
        {
            table.Remove(index);
        }

        Assert.Empty(table.Snapshot());
    }
}
