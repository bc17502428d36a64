using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>An exception that a raw item does not handle ends the process, unless the option takes it (T42).</summary>
public sealed class UnhandledExceptionTests
{
    [Fact]
    public async Task T42_ByDefault_TheProcessCrashes()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(CrashChildren.ThrowingItem);
        AssertCrashed(child);
    }

    [Fact]
    public async Task T42_HandlerThatRefuses_LetsTheProcessCrash()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(CrashChildren.HandlerThatRefuses);
        AssertCrashed(child);
        Assert.Contains("asked", child.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task T42_ThrowingWorkItemObject_CrashesToo() => AssertCrashed(await ChildProcess.RunAsync(CrashChildren.ThrowingWorkItem));

    [Fact]
    public void T42_HandlerThatTakesIt_SavesTheWorkerAndTheNextItemRuns()
    {
        var taken = new List<Exception>();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 1,
            UnhandledException = exception =>
            {
                taken.Add(exception);
                return true;
            },
        });
        int thread = pool.OnWorker(() => Environment.CurrentManagedThreadId);
        for (int i = 0; i < 100; i++)
        {
            int number = i;
            pool.UnsafeQueueUserWorkItem(_ => throw new InvalidOperationException($"item {number}"), null);
        }

        Assert.Equal(thread, pool.OnWorker(() => Environment.CurrentManagedThreadId));
        Assert.Equal(Enumerable.Range(0, 100).Select(i => $"item {i}"), taken.Select(exception => exception.Message));
        pool.WaitUntilQuiet();
        Assert.Equal((102L, 1), (pool.CompletedWorkItemCount, pool.ThreadCount));
    }

    [Fact]
    public void Handler_RunsOnTheWorkerBeforeTheStackUnwinds()
    {
        var order = new List<string>();
        string? handlersThread = null;
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "filter",
            MaxThreads = 1,
            UnhandledException = _ =>
            {
                handlersThread = Thread.CurrentThread.Name;
                order.Add("handler");
                return true;
            },
        });
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                try
                {
                    throw new InvalidOperationException();
                }
                finally
                {
                    order.Add("finally");
                }
            },
            null);
        pool.OnWorker(() => { });
        Assert.Equal(["handler", "finally"], order);
        Assert.Equal("filter-worker-0", handlersThread);
    }

    [Fact]
    public void T34_ItemWhoseExceptionWasTaken_LeavesNoContextBehind()
    {
        var local = new AsyncLocal<string?>();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, UnhandledException = _ => true });
        pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                local.Value = "left behind";
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                throw new InvalidOperationException();
            },
            null);
        using var seen = new Observation<(string?, SynchronizationContext?)>(() => (local.Value, SynchronizationContext.Current));
        pool.UnsafeQueueUserWorkItem(seen.Observe, null);
        Assert.Equal((null, null), seen.Result);
    }

    [Fact]
    public async Task TasksAndGroups_KeepTheirExceptionsToThemselves()
    {
        bool asked = false;
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { UnhandledException = _ => asked = true });
        await Assert.ThrowsAsync<InvalidOperationException>(() => pool.Run(() => throw new InvalidOperationException()));
        var group = new WorkGroup(pool);
        group.Queue(static _ => throw new InvalidOperationException(), 0);
        Assert.Throws<InvalidOperationException>(() => group.Wait(Deadline.Time));
        Assert.False(asked);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task T39_RuntimesHandlerTakesIt_ThreadIsReplacedAndItsItemsRun(int maxThreads)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(
            CrashChildren.RuntimesHandlerTakesIt, (CrashChildren.MaxThreadsVariable, $"{maxThreads}"));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static void AssertCrashed(ChildProcess.Result child)
    {
        Assert.True(child.ExitCode == 134, child.ToString()); // SIGABRT, as a crash of the built-in pool
        Assert.Contains("Unhandled exception", child.Error, StringComparison.Ordinal);
        Assert.Contains(nameof(InvalidTimeZoneException), child.Error, StringComparison.Ordinal);
        Assert.Contains(CrashChildren.Message, child.Error, StringComparison.Ordinal);
    }
}
