using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>A token cancels an operation that has not started, and no other (T68).</summary>
public sealed class InvokeCancellationTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly CancellationTokenSource _source = new();

    public void Dispose()
    {
        _loop.Dispose();
        _source.Dispose();
    }

    [Fact]
    public void CancelledBefore_NothingIsPosted()
    {
        _source.Cancel();
        using (new OccupiedLoop(_loop))
        {
            Assert.All(AllForms(() => Assert.Fail("It ran."), _source.Token), AssertCancelled);
            Assert.Equal(0, _loop.PendingCallbackCount);
        }
    }

    [Fact]
    public void CancelledWhileItWaits_ItDoesNotRun()
    {
        int ran = 0;
        using (new OccupiedLoop(_loop))
        {
            Task[] operations = AllForms(() => ran++, _source.Token);
            Assert.DoesNotContain(operations, operation => operation.IsCompleted);
            _source.Cancel();
            Assert.All(operations, AssertCancelled); // at once: the loop is busy
        }

        _loop.Call(() => { });
        Assert.Equal(0, ran);
    }

    [Fact]
    public async Task CancelledOnceItRuns_ItGoesOn()
    {
        var gate = new TaskCompletionSource<int>();
        Task<int> operation = _loop.InvokeAsync(() => gate.Task, _source.Token);
        _loop.Call(() => { });
        await _source.CancelAsync();
        Assert.False(operation.IsCompleted);
        gate.SetResult(5);
        Assert.Equal(5, await Deadline.For(operation));
        Assert.Equal(6, await Deadline.For(Completed()));

        async Task<int> Completed()
        {
            using var late = new CancellationTokenSource();
            Task<int> done = _loop.InvokeAsync(() => 6, late.Token);
            await Deadline.For(done);
            await late.CancelAsync();
            return await done;
        }
    }

    [Fact]
    public async Task T68_CancelRacingTheStart_RunsOrCancelsAndNeverBoth()
    {
        foreach (int i in Soak.Repeat(2_000))
        {
            using var source = new CancellationTokenSource();
            int ran = 0;
            Task operation = _loop.InvokeAsync(() => ran++, source.Token);
            Thread.SpinWait(i % 100);
            await source.CancelAsync();
            await Deadline.For(Task.WhenAny(operation));
            _loop.Call(() => { });
            Assert.Equal(operation.IsCanceled ? 0 : 1, ran);
        }

        await Deadline.For(_loop.ShutdownAsync(CancellationToken.None)); // each counts as ended, once
    }

    private Task[] AllForms(Action action, CancellationToken token) =>
    [
        _loop.InvokeAsync(action, token),
        _loop.InvokeAsync(
            () =>
            {
                action();
                return 1;
            },
            token),
        _loop.InvokeAsync(
            () =>
            {
                action();
                return Task.CompletedTask;
            },
            token),
        _loop.InvokeAsync(
            () =>
            {
                action();
                return Task.FromResult(1);
            },
            token),
    ];

    private void AssertCancelled(Task operation)
    {
        Assert.Equal(TaskStatus.Canceled, operation.Status);
        var exception = Assert.Throws<TaskCanceledException>(() => operation.GetAwaiter().GetResult());
        Assert.Equal(_source.Token, exception.CancellationToken);
    }
}
