using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>
/// T152: a worker that has a leftover interrupt tells threads that block what they wait for. The framework's events have a lock, whose wait
/// throws the interrupt between the event and the wake.
/// </summary>
public sealed class InterruptedCompletionTests
{
    [Fact]
    public void T152_AThreadThatBlocksForATask_Wakes()
    {
        int rounds = Soak.Rounds(20_000);
        TaskCompletionSource? next = null;
        StartGate.Run(2, thread =>
        {
            for (int i = 0; i < rounds; i++)
            {
                if (thread == 0)
                {
                    var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                    Volatile.Write(ref next, source);
                    Assert.True(source.Task.Wait(Deadline.Time)); // not Completion.Wait, which looks by itself
                    continue;
                }

                TaskCompletionSource? waited;
                while ((waited = Interlocked.Exchange(ref next, null)) is null)
                {
                    Thread.Yield();
                }

                Thread.SpinWait(Random.Shared.Next(3_000)); // until the other is about to sleep
                Thread.CurrentThread.Interrupt();
                Completion.Set(waited);
                Assert.True(Interruption.Drop()); // it has stayed
            }
        });
    }

    /// <summary>Back before its time, it would look at what the task stands for: a wake that nobody has sent would cost a second and be seen by nobody.</summary>
    [Fact]
    public void T152_AThreadThatBlocks_LooksAtTheTaskAlone()
    {
        var time = TimeSpan.FromSeconds(1.5);
        long started = Stopwatch.GetTimestamp();
        Completion.Wait(new TaskCompletionSource().Task, time);
        Assert.True(Stopwatch.GetElapsedTime(started) >= time);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void T152_ProducersThatWaitForAPermit_AreTold(int producers)
    {
        var failures = new List<Exception>();
        using NativeThreadPool pool = Limited.Pool(1, QueueFullMode.Wait, handler: exception =>
        {
            failures.Add(exception);
            return true;
        });
        int items = Soak.Rounds(4_000) / producers;
        int ran = 0;
        StartGate.Run(producers, _ =>
        {
            for (int i = 0; i < items; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ =>
                {
                    Interlocked.Increment(ref ran);
                    Thread.SpinWait(Random.Shared.Next(6_000)); // until the thread that waits for it is about to sleep
                    Thread.CurrentThread.Interrupt();
                }, null);
            }
        });

        Deadline.Until(() => ran == producers * items, "all items have run");
        pool.AssertEmpty();
        Assert.Empty(failures);
    }

    [Fact]
    public void T152_AThreadThatWaitsForAGroup_IsTold()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        int rounds = Soak.Rounds(2_000);
        StartGate.Run(1, _ =>
        {
            for (int i = 0; i < rounds; i++)
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
