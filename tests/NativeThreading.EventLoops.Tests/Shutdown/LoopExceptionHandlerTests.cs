using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The option's handler takes an exception: the loop continues after the callback that threw (T132).</summary>
public sealed class LoopExceptionHandlerTests : GuardedLoopTest
{
    [Fact]
    public void T132_Callbacks_TheNextRunsOnTheSameThread()
    {
        int thread = Loop.Call(() => Environment.CurrentManagedThreadId);
        for (int i = 0; i < 100; i++)
        {
            int number = i;
            Loop.UnsafePost(_ => throw new InvalidOperationException($"{number}"), null);
        }

        Assert.Equal(thread, Loop.Call(() => Environment.CurrentManagedThreadId));
        Assert.Equal(Enumerable.Range(0, 100).Select(i => $"{i}"), Taken);
    }

    [Fact]
    public void T132_AsyncVoidMethodsAndCompletions_AreAskedAboutToo()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        static async void Method()
        {
            await Task.Yield();
            throw new InvalidOperationException("async void");
        }

        Loop.UnsafePost(static _ => Method(), null);
        Deadline.Until(() => Loop.Call(() => Taken.Count) == 1);
        Loop.Offload(pool, static _ => { }, static _ => throw new InvalidOperationException("completion"), null);
        Loop.Dispose(); // waits for both: neither is stuck as outstanding
        Assert.Equal(["async void", "completion"], Taken);
    }

    [Fact]
    public void T34_ACallbackWhoseExceptionWasTaken_LeavesNothingBehind()
    {
        var local = new AsyncLocal<string?>();
        using (new OccupiedLoop(Loop))
        {
            Loop.UnsafePost(
                _ =>
                {
                    local.Value = "left behind";
                    Thread.CurrentThread.Name = "renamed";
                    SynchronizationContext.SetSynchronizationContext(null);
                    throw new InvalidOperationException();
                },
                null);
        }

        Assert.Equal(
            (null, "guarded", Loop.SynchronizationContext),
            Loop.Call(() => (local.Value, Thread.CurrentThread.Name, SynchronizationContext.Current)));
    }

    [Fact]
    public async Task OperationsAndTasks_KeepTheirExceptionsToThemselves()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => Deadline.For(Loop.InvokeAsync(() => throw new InvalidOperationException())));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(Task.Factory.StartNew(
            () => throw new InvalidOperationException(), CancellationToken.None, TaskCreationOptions.None, Loop.Scheduler)));
        Assert.Empty(Taken);
    }
}
