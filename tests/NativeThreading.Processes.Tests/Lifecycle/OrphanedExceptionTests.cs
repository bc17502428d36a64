using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>An item that outlives its pool or loop runs on the built-in pool. If it throws, the pool's or loop's handler still gets the exception (T42).</summary>
public sealed class OrphanedExceptionTests
{
    [Fact]
    public async Task T42_ItemThatItsStoppedPoolRunsElsewhere_ItsHandlerIsAsked() => AssertHandled(await ChildProcess.RunAsync(ItemOfAStoppedPool));

    [Fact]
    public async Task T42_CallbackThatOutlivesItsLoop_ItsHandlerIsAsked() => AssertHandled(await ChildProcess.RunAsync(CallbackOfAStoppedLoop));

    /// <summary>In a child, which an unhandled exception ends.</summary>
    internal static int ItemOfAStoppedPool()
    {
        using var entered = new ManualResetEventSlim();
        using var stopped = new ManualResetEventSlim();
        using var next = new ManualResetEventSlim();
        var handler = new Handler();
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, UnhandledException = handler.Handle });
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                entered.Set();
                stopped.Wait(Deadline.Time);
                pool.UnsafeQueueUserWorkItem(static _ => throw new InvalidTimeZoneException(), null);
            },
            null);
        Deadline.Wait(entered);
        Deadline.Wait(pool.ShutdownAsync(new CancellationToken(canceled: true)));
        stopped.Set();
        return handler.WasAsked(() => pool.RanElsewhereCount == 1);
    }

    internal static int CallbackOfAStoppedLoop()
    {
        var handler = new Handler();
        var loop = new EventLoop(new EventLoopOptions { UnhandledException = handler.Handle });
        loop.Dispose();
        loop.SynchronizationContext.Post(static _ => throw new InvalidTimeZoneException(), null);
        return handler.WasAsked(() => loop.RanElsewhereCount == 1);
    }

    private static void AssertHandled(ChildProcess.Result child) => Assert.True(child.ExitCode == 0, child.ToString());

    private sealed class Handler
    {
        private int _asked;

        public bool Handle(Exception exception)
        {
            Interlocked.Increment(ref _asked);
            return exception is InvalidTimeZoneException;
        }

        /// <summary>Whether it was called once, and the built-in pool continues afterwards.</summary>
        public int WasAsked(Func<bool> ranElsewhere)
        {
            Deadline.Until(() => Volatile.Read(ref _asked) == 1, "the handler is asked");
            for (int i = 0; i < 100; i++)
            {
                Deadline.Wait(Task.Run(static () => Thread.Sleep(1)));
            }

            return ranElsewhere() && _asked == 1 ? 0 : 1;
        }
    }
}
