using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>
/// T152: a worker that has a leftover interrupt wakes the threads that block for its items. The framework's events have a lock, whose wait
/// throws the interrupt after the event is set and before the waiting thread is woken.
/// </summary>
public sealed class InterruptedCompletionTests
{
    [Fact]
    public void T152_AThreadThatBlocksForATask_Wakes()
    {
        TaskCompletionSource? next = null;
        bool isOver = false;
        StartGate.Run(2, thread =>
        {
            if (thread == 0)
            {
                try
                {
                    foreach (int _ in Soak.Repeat(20_000))
                    {
                        var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                        Volatile.Write(ref next, source);
                        Assert.True(source.Task.Wait(Deadline.Time)); // not Completion.Wait, which polls
                    }
                }
                finally
                {
                    Volatile.Write(ref isOver, true);
                }

                return;
            }

            while (!Volatile.Read(ref isOver))
            {
                if (Interlocked.Exchange(ref next, null) is not { } waited)
                {
                    Thread.Yield();
                    continue;
                }

                Thread.SpinWait(Random.Shared.Next(3_000)); // until the other thread is about to sleep
                Thread.CurrentThread.Interrupt();
                Completion.Set(waited);
                Assert.True(Interruption.Drop()); // the interrupt is still pending
            }
        });
    }

    /// <summary>A wait that returned early would check the state that the task represents. That check would hide a missing wake-up, which would then cost
    /// a second and fail no test.</summary>
    [Fact]
    public void T152_AThreadThatBlocks_PollsTheTaskAlone()
    {
        var time = TimeSpan.FromSeconds(1.5);
        long started = Stopwatch.GetTimestamp();
        Completion.Wait(new TaskCompletionSource().Task, time);
        Assert.True(Stopwatch.GetElapsedTime(started) >= time);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void T152_ProducersThatWaitForAPermit_Wake(int producers)
    {
        var failures = new List<Exception>();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait, handler: exception =>
        {
            failures.Add(exception);
            return true;
        });
        int queued = 0;
        int ran = 0;
        StartGate.Run(producers, _ =>
        {
            foreach (int round in Soak.Repeat(4_000 / producers))
            {
                Interlocked.Increment(ref queued);
                pool.UnsafeQueueUserWorkItem(_ =>
                {
                    Interlocked.Increment(ref ran);
                    Thread.SpinWait(Random.Shared.Next(6_000)); // until the thread that waits for the item is about to sleep
                    Thread.CurrentThread.Interrupt();
                }, null);
            }
        });

        Deadline.Until(() => Volatile.Read(ref ran) == queued, "all items have run");
        pool.AssertEmpty();
        Assert.Empty(failures);
    }

    [Fact]
    public void T152_AThreadThatWaitsForAGroup_Wakes()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        StartGate.Run(1, _ =>
        {
            foreach (int round in Soak.Repeat(2_000))
            {
                group.Queue<object?>(static _ =>
                {
                    Thread.SpinWait(Random.Shared.Next(6_000));
                    Thread.CurrentThread.Interrupt();
                }, null);
                Assert.True(group.Wait(Deadline.Time));
            }
        });
    }
}
