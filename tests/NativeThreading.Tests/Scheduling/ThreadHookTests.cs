using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>The functions that the threads of a pool call when they start and end.</summary>
public sealed class ThreadHookTests
{
    [Fact]
    public void EachThread_CallsBoth_OnItself_AroundItsItems()
    {
        var started = new List<Thread>();
        var stopped = new List<Thread>();
        var ranOn = new List<Thread>();
        var local = new AsyncLocal<int>();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 2,
            MinThreads = 2,
            ThreadStarting = _ =>
            {
                lock (started)
                {
                    started.Add(Thread.CurrentThread);
                }

                local.Value = 1;
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            },
            ThreadStopping = _ =>
            {
                lock (stopped)
                {
                    stopped.Add(Thread.CurrentThread);
                }
            },
        });
        pool.StartMinThreads();
        using (var both = new Barrier(2))
        using (var left = new CountdownEvent(2))
        {
            for (int i = 0; i < 2; i++)
            {
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        both.SignalAndWait(Deadline.Time);
                        lock (started)
                        {
                            Assert.Contains(Thread.CurrentThread, started);
                            ranOn.Add(Thread.CurrentThread);
                        }

                        Assert.Equal((0, null), (local.Value, SynchronizationContext.Current));
                        left.Signal();
                    },
                    null);
            }

            Deadline.Wait(left);
        }

        Deadline.Wait(pool.Factory.StartNew(() => ranOn.Add(Thread.CurrentThread), TaskCreationOptions.LongRunning));
        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        Deadline.Until(() => stopped.Count == 3, "the long-running thread has ended");
        Assert.Equal(3, started.Count);
        Assert.Equal(ranOn.ToHashSet(), started.ToHashSet());
        Assert.Equal(ranOn.ToHashSet(), stopped.ToHashSet());
    }

    [Fact]
    public void FunctionsThatThrow_AreReported_AndTheThreadServes()
    {
        using var log = new EventLog();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "hooked",
            MaxThreads = 1,
            ThreadStarting = static _ => throw new FormatException("at the start"),
            ThreadStopping = static _ => throw new FormatException("at the end"),
        });
        Assert.Equal(1, Deadline.Result(pool.Run(() => 1)));
        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        Deadline.Until(() => log.Of("ThreadHookFailed", pool.Name).Count == 2, "both are reported");
        Assert.Equal(["ThreadStarting", "ThreadStopping"], log.Of("ThreadHookFailed", pool.Name).Select(static entry => (string)entry.Payload![1]!));
    }

    [Fact]
    public void FunctionThatQueuesToItsPool_IsNoDeadlock()
    {
        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, ThreadStarting = pool => pool.QueueUserWorkItem(_ => ran.TrySetResult()) });
        Deadline.Wait(pool.Run(() => { }));
        Deadline.Wait(ran.Task);
    }
}
