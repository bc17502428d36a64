using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The option's handler takes an exception: the loop goes on behind the callback that threw (T132).</summary>
public sealed class LoopExceptionHandlerTests : IDisposable
{
    private readonly List<string> _taken = []; // the loop's thread alone, until it has stopped
    private readonly EventLoop _loop;

    public LoopExceptionHandlerTests() => _loop = new EventLoop(new EventLoopOptions
    {
        Name = "guarded",
        UnhandledException = exception =>
        {
            _taken.Add(exception.Message);
            return true;
        },
    });

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void T132_Callbacks_TheNextRunsOnTheSameThread()
    {
        int thread = _loop.Call(() => Environment.CurrentManagedThreadId);
        for (int i = 0; i < 100; i++)
        {
            int number = i;
            _loop.UnsafePost(_ => throw new InvalidOperationException($"{number}"), null);
        }

        Assert.Equal(thread, _loop.Call(() => Environment.CurrentManagedThreadId));
        Assert.Equal(Enumerable.Range(0, 100).Select(i => $"{i}"), _taken);
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

        _loop.UnsafePost(static _ => Method(), null);
        Deadline.Until(() => _loop.Call(() => _taken.Count) == 1);
        _loop.Offload(pool, static _ => { }, static _ => throw new InvalidOperationException("completion"), null);
        _loop.Dispose(); // waits for both: neither is stuck as outstanding
        Assert.Equal(["async void", "completion"], _taken);
    }

    [Fact]
    public void T34_ACallbackWhoseExceptionWasTaken_LeavesNothingBehind()
    {
        var local = new AsyncLocal<string?>();
        using (new OccupiedLoop(_loop))
        {
            _loop.UnsafePost(
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
            (null, "guarded", _loop.SynchronizationContext),
            _loop.Call(() => (local.Value, Thread.CurrentThread.Name, SynchronizationContext.Current)));
    }

    [Fact]
    public async Task OperationsAndTasks_KeepTheirExceptionsToThemselves()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => Deadline.For(_loop.InvokeAsync(() => throw new InvalidOperationException())));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(Task.Factory.StartNew(
            () => throw new InvalidOperationException(), CancellationToken.None, TaskCreationOptions.None, _loop.Scheduler)));
        Assert.Empty(_taken);
    }
}
