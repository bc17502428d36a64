using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>One case per row of the table "What runs where"; each begins on the loop.</summary>
internal sealed class WhereCases(EventLoop loop, NativeThreadPool pool)
{
    public static (string Text, Func<WhereCases, Task> Check)[] All { get; } =
    [
        ("`await` of anything that is not complete, in any callback, timer or handler", cases => cases.Incomplete()),
        ("`await` of something complete", cases => cases.Complete()),
        ("`await` of `loop.TimeProvider`'s timers, and of `OffloadAsync`", cases => cases.OwnCompletions()),
        ("`await` of `Task.Delay(t)` without the provider", cases => cases.ForeignDelay()),
        ("`await` with `ConfigureAwait(false)`", cases => cases.ConfiguredAwait()),
        ("the rest of that method", cases => cases.RestOfTheMethod()),
        ("`Task.Run(...)`", cases => cases.TaskRun()),
        ("`task.ContinueWith(...)`, `Task.Factory.StartNew(...)`", cases => cases.CurrentScheduler()),
        ("`new Timer(...)`, `new CancellationTokenSource(t)` without the provider", cases => cases.ForeignTimers()),
        ("callbacks of a `CancellationToken`", cases => cases.Cancellation()),
        ("`async void`", cases => cases.AsyncVoid()),
        ("`TaskCompletionSource.SetResult()`, whatever its options", cases => cases.CompletedOnTheLoop()),
    ];

    private static bool IsOnRuntimesPool => Thread.CurrentThread.IsThreadPoolThread;

    private static TaskCompletionSource<T> NewSource<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task Incomplete()
    {
        await Task.Yield();
        AssertInLoop();
        await Task.Run(static () => { });
        AssertInLoop();
        await pool.Run(static () => { });
        AssertInLoop();

        TaskCompletionSource<bool> inCallback = NewSource<bool>(), inTimer = NewSource<bool>();
        loop.Post(_ => Observe(inCallback), null);
        using var timer = new EventLoopTimer(loop, _ => Observe(inTimer), null);
        timer.Arm(TimeSpan.Zero);
        Assert.True(await inCallback.Task && await inTimer.Task);

        async void Observe(TaskCompletionSource<bool> seen)
        {
            await Task.Run(static () => { });
            seen.SetResult(loop.IsInLoop);
        }
    }

    private async Task Complete()
    {
        long pending = loop.PendingCallbackCount;
        await Task.CompletedTask;
        AssertInLoop();
        Assert.Equal(pending, loop.PendingCallbackCount);
    }

    private async Task OwnCompletions()
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
        AssertInLoop();
        Assert.Equal(pool, await loop.OffloadAsync(pool, static () => NativeThreadPool.Current));
        AssertInLoop();
    }

    private async Task ForeignDelay()
    {
        await Task.Delay(1);
        AssertInLoop();
    }

    private async Task ConfiguredAwait()
    {
        await Task.Run(AwaitGate).ConfigureAwait(false);
        Assert.True(IsOnRuntimesPool);
    }

    private async Task RestOfTheMethod()
    {
        await ConfiguredAwait();
        AssertInLoop(); // the caller's own await

        await Task.Run(AwaitGate).ConfigureAwait(false);
        await Task.Yield();
        Assert.False(loop.IsInLoop);
    }

    private async Task TaskRun()
    {
        Assert.True(await Task.Run(static () => IsOnRuntimesPool));
        Assert.Equal(pool, await Task.Run(pool, static () => NativeThreadPool.Current));
    }

    private async Task CurrentScheduler()
    {
        Assert.True(await Task.Delay(1).ContinueWith(static _ => IsOnRuntimesPool));
        Assert.True(await Task.Factory.StartNew(static () => IsOnRuntimesPool));
        Assert.True(await Task.Delay(1).ContinueWith(_ => loop.IsInLoop, loop.Scheduler));
        Assert.True(await Task.Factory.StartNew(() => loop.IsInLoop, CancellationToken.None, TaskCreationOptions.None, loop.Scheduler));
    }

    private async Task ForeignTimers()
    {
        TaskCompletionSource<bool> timer = NewSource<bool>(), source = NewSource<bool>();
        await using var foreign = new Timer(_ => timer.TrySetResult(IsOnRuntimesPool), null, 1, Timeout.Infinite);
        using var cancellation = new CancellationTokenSource();
        cancellation.Token.Register(() => source.TrySetResult(IsOnRuntimesPool)); // before its time begins: a cancelled token calls back at once
        cancellation.CancelAfter(1);
        Assert.True(await timer.Task && await source.Task);
    }

    private async Task Cancellation()
    {
        TaskCompletionSource<bool> byThread = NewSource<bool>(), byLoop = NewSource<bool>();
        using var plain = new CancellationTokenSource();
        plain.Token.Register(() => byThread.TrySetResult(IsOnRuntimesPool));
        await Task.Run(plain.Cancel);
        using var timed = new CancellationTokenSource(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
        timed.Token.Register(() => byLoop.TrySetResult(loop.IsInLoop));
        Assert.True(await byThread.Task && await byLoop.Task);
    }

    private async Task AsyncVoid()
    {
        var thrown = NewSource<(Exception, EventLoop?)>();
        using var other = new EventLoop(new EventLoopOptions
        {
            UnhandledException = exception => thrown.TrySetResult((exception, EventLoop.Current)),
        });
        other.Post(static _ => Throw(), null);
        (Exception exception, EventLoop? where) = await Deadline.For(thrown.Task);
        Assert.IsType<InvalidTimeZoneException>(exception);
        Assert.Equal(other, where);

        static async void Throw()
        {
            await Task.Yield();
            throw new InvalidTimeZoneException();
        }
    }

    private async Task CompletedOnTheLoop()
    {
        var source = new TaskCompletionSource();
        Task<bool> synchronous = source.Task.ContinueWith(
            _ => loop.IsInLoop, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        Task<bool> awaiter = null!;
        await Task.Run(() =>
        {
            awaiter = AwaitAsync(); // it awaits when this returns
        });
        source.SetResult();
        Assert.True(synchronous.IsCompleted && await synchronous);
        Assert.False(await awaiter);

        async Task<bool> AwaitAsync()
        {
            await source.Task;
            return loop.IsInLoop;
        }
    }

    /// <summary>Long enough that an await of it finds it incomplete: it ends after its caller has gone back to the loop.</summary>
    private void AwaitGate()
    {
        Assert.True(IsOnRuntimesPool);
        Deadline.Wait(loop.InvokeAsync(static () => { }));
    }

    private void AssertInLoop() => Assert.True(loop.IsInLoop);
}
