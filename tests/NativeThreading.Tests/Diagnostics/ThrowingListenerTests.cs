using System.Diagnostics.Tracing;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What a listener throws, between the take and the run of an item, loses nothing (T138).</summary>
public sealed class ThrowingListenerTests
{
    private const int Items = 100;

    [Theory, CombinatorialBooleans]
    public void T138_ThrowingMeasurementListener_EveryItemRunsOnceAndThePoolEnds(bool throwsWhenLookedAt)
    {
        using var log = new EventLog();
        using var meter = new ListenedMeter(() => throw (throwsWhenLookedAt ? new UnreadableException() : new FormatException("listener")));
        int asked = 0;
        NativeThreadPool pool = Pool(
            meter,
            "listened",
            _ =>
            {
                asked++;
                return true;
            });
        RunEverything(pool);
        int thread = pool.OnWorker(() => Environment.CurrentManagedThreadId);
        Assert.Equal(thread, pool.OnWorker(() => Environment.CurrentManagedThreadId));
        Dispose(pool);
        Assert.True(meter.Measurements > 4 * Items, $"only {meter.Measurements} were measured");
        Assert.Equal(0, asked);
        EventWrittenEventArgs told = Assert.Single(log.Of("ListenerFailed", "listened"));
        Assert.Contains(throwsWhenLookedAt ? nameof(UnreadableException) : "listener", told.Payload![1] as string, StringComparison.Ordinal);
    }

    /// <summary>In a process of its own: the level of an event source sinks only when its last listener has gone.</summary>
    [Fact]
    public async Task T138_ThrowingEventListener_EveryItemRunsOnceAndThePoolEnds()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(TraceItems);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int TraceItems()
    {
        using var listener = new ThrowingEventListener();
        NativeThreadPool pool = Pool(meter: null, "traced");
        RunEverything(pool);
        Dispose(pool);
        return listener.Events > 8 * Items ? 0 : 1;
    }

    [Fact]
    public void T138_ThrowingListenerOfStarvation_LeavesTheMonitorAlive()
    {
        using var log = new EventLog();
        using var meter = new ListenedMeter(static () => throw new FormatException("listener"), "native_threading.pool.starvation.duration");
        NativeThreadPool pool = Pool(meter, "starved");

        // The second and third are measured by a monitor that has seen the first throw.
        Deadline.Until(
            () =>
            {
                using (new BlockedWorkers(pool, 1))
                {
                    pool.UnsafeQueueUserWorkItem(static _ => { }, null);

                    // Looks are counted for all pools together. This one must have starved for longer than a proof takes.
                    Deadline.Until(() => pool.AllThreadsBlockedDuration > 2 * StarvationTuning.Proof, "the monitor has seen it starve");
                }

                return meter.Measurements >= 3;
            },
            "three times of starvation were measured");
        Assert.Single(log.Of("ListenerFailed", "starved"));
        Dispose(pool);
    }

    [Fact]
    public void T34_WhatAListenerLeavesBehind_IsNotTheItems()
    {
        var local = new AsyncLocal<string?>();
        using var meter = new ListenedMeter(() =>
        {
            local.Value = "listener";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        });
        NativeThreadPool pool = Pool(meter, "left");
        Assert.Equal((null, null), pool.OnWorker(() => (local.Value, SynchronizationContext.Current)));
        Assert.Equal(1, meter.Measurements);
        Dispose(pool);
    }

    /// <summary>Every kind of item, at the queue's limit: each holds its permit until the listener has thrown.</summary>
    private static void RunEverything(NativeThreadPool pool)
    {
        int[] ran = new int[4 * Items];
        var tasks = new List<Task>();
        var group = new WorkGroup(pool);
        for (int i = 0; i < Items; i++)
        {
            int item = i;
            pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran[item]));
            tasks.Add(pool.Run(() => Interlocked.Increment(ref ran[Items + item])));
            tasks.Add(pool.Run(async () =>
            {
                await Task.Yield();
                Interlocked.Increment(ref ran[(2 * Items) + item]);
            }));
            group.Queue(item => Interlocked.Increment(ref ran[(3 * Items) + item]), item);
        }

        Deadline.Wait(Task.WhenAll(tasks));
        Assert.True(group.Wait(Deadline.Time));
        Assert.True(pool.OnWorker(() =>
        {
            group.QueueRange(static _ => { }, new int[Items]);
            return group.Wait(Deadline.Time);
        }));
        pool.WaitUntilQuiet();
        Assert.All(ran, static count => Assert.Equal(1, count));
        Assert.Equal(0, pool.Probe.HeldPermits);
    }

    private static void Dispose(NativeThreadPool pool) => Assert.Equal(0, Deadline.Result(pool.ShutdownAsync(CancellationToken.None)));

    private static NativeThreadPool Pool(ListenedMeter? meter, string name, Func<Exception, bool>? handler = null) => new(
        new NativeThreadPoolOptions
        {
            Name = name,
            MaxThreads = 1,
            MinThreads = 1,
            MaxBlockedThreads = 0,
            QueueLimit = 10,
            QueueFullMode = QueueFullMode.Wait,
            MeasureQueueDuration = meter is not null,
            UnhandledException = handler,
        },
        meter);

    private sealed class UnreadableException : Exception
    {
        public override string Message => throw new InvalidOperationException();

        public override string ToString() => throw new InvalidOperationException();
    }

    private sealed class ThrowingEventListener : EventListener
    {
        private int _events;

        public int Events => Volatile.Read(ref _events);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "NativeThreading")
            {
                EnableEvents(eventSource, EventLevel.Verbose, (EventKeywords)1);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            Interlocked.Increment(ref _events);
            throw new FormatException("listener");
        }
    }
}
