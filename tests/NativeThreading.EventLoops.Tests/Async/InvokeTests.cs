using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The four forms of InvokeAsync, and what becomes of their tasks.</summary>
public sealed class InvokeTests : IDisposable
{
    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Theory, CombinatorialBooleans]
    public async Task AllForms_RunOnTheLoopAndGiveTheirResult(bool fromLoop)
    {
        var ran = new List<EventLoop?>();
        (Task, Task<int>, Task, Task<int>) Start() => (
            _loop.InvokeAsync(() => ran.Add(EventLoop.Current)),
            _loop.InvokeAsync(() =>
            {
                ran.Add(EventLoop.Current);
                return 1;
            }),
            _loop.InvokeAsync(async () =>
            {
                await Task.Yield();
                ran.Add(EventLoop.Current);
            }),
            _loop.InvokeAsync(async () =>
            {
                await Task.Yield();
                ran.Add(EventLoop.Current);
                return 2;
            }));

        (Task action, Task<int> function, Task asyncAction, Task<int> asyncFunction) = fromLoop ? _loop.Call(Start) : Start();
        await Deadline.For(Task.WhenAll(action, function, asyncAction, asyncFunction));
        Assert.Equal((1, 2), (await function, await asyncFunction));
        Assert.Equal([_loop, _loop, _loop, _loop], ran);
    }

    [Fact]
    public async Task AllForms_GiveTheirException()
    {
        static InvalidOperationException Error(string form) => new(form);
        Task[] operations =
        [
            _loop.InvokeAsync(() => throw Error("action")),
            _loop.InvokeAsync<int>(int () => throw Error("function")),
            _loop.InvokeAsync(Task () => throw Error("async action, at once")),
            _loop.InvokeAsync(async () =>
            {
                await Task.Yield();
                throw Error("async action");
            }),
            _loop.InvokeAsync(Task<int> () => throw Error("async function, at once")),
            _loop.InvokeAsync<int>(async () =>
            {
                await Task.Yield();
                throw Error("async function");
            }),
        ];
        var messages = new List<string>();
        foreach (Task operation in operations)
        {
            messages.Add((await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(operation))).Message);
        }

        Assert.Equal(
            ["action", "function", "async action, at once", "async action", "async function, at once", "async function"], messages);
        Assert.True(_loop.Call(() => _loop.IsInLoop));
    }

    [Fact]
    public async Task AFailedTaskWithSeveralExceptions_KeepsThemAll()
    {
        Task operation = _loop.InvokeAsync(() => Task.WhenAll(
            Task.FromException(new InvalidOperationException()), Task.FromException(new InvalidTimeZoneException())));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Deadline.For(operation));
        Assert.Equal(
            [typeof(InvalidOperationException), typeof(InvalidTimeZoneException)],
            operation.Exception!.InnerExceptions.Select(inner => inner.GetType()));
    }

    [Fact]
    public async Task T142_AFunctionThatReturnsNoTask_IsCancelled_AsTaskRunHasIt()
    {
        Task[] operations = [_loop.InvokeAsync(Task () => null!), _loop.InvokeAsync(Task<int> () => null!)];
        foreach (Task operation in operations)
        {
            await Assert.ThrowsAsync<TaskCanceledException>(() => Deadline.For(operation));
        }
    }

    [Fact]
    public async Task NullResults_AreResults()
    {
        Assert.Null(await Deadline.For(_loop.InvokeAsync(string? () => null)));
        Assert.Null(await Deadline.For(_loop.InvokeAsync(() => Task.FromResult<string?>(null))));
    }

    [Fact]
    public async Task FromTheLoopItself_TheOperationIsQueuedBehindWhatWasPostedBefore()
    {
        var ran = new List<string>();
        await Deadline.For(_loop.InvokeAsync(async () =>
        {
            _loop.UnsafePost(_ => ran.Add("posted before"), null);
            Task operation = _loop.InvokeAsync(() => ran.Add("operation"));
            Assert.Empty(ran);
            Assert.False(operation.IsCompleted);
            await operation;
            ran.Add("after the await");
        }));
        Assert.Equal(["posted before", "operation", "after the await"], ran);
    }

    [Fact]
    public void MissingFunctions_AreRefused()
    {
        (string Name, Action Call)[] mistakes =
        [
            ("action", () => _loop.InvokeAsync((Action)null!)),
            ("function", () => _loop.InvokeAsync((Func<int>)null!)),
            ("function", () => _loop.InvokeAsync((Func<Task>)null!)),
            ("function", () => _loop.InvokeAsync((Func<Task<int>>)null!)),
        ];
        Assert.All(mistakes, mistake => Assert.Throws<ArgumentNullException>(mistake.Name, mistake.Call));
        Assert.Equal(0, _loop.PendingCallbackCount);
    }
}
