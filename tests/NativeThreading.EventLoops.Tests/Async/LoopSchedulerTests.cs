using System.Reflection;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Tasks on the loop's scheduler.</summary>
public sealed class LoopSchedulerTests : IDisposable
{
    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Fact]
    public async Task StartedTasks_RunOnTheLoopUnderItsScheduler()
    {
        Assert.Equal(1, _loop.Scheduler.MaximumConcurrencyLevel);
        (EventLoop?, TaskScheduler, SynchronizationContext?) Look() =>
            (EventLoop.Current, TaskScheduler.Current, SynchronizationContext.Current);
        var here = (_loop, _loop.Scheduler, _loop.SynchronizationContext);
        Assert.Equal(here, await Deadline.For(StartNew(Look)));
        var task = new Task<(EventLoop?, TaskScheduler, SynchronizationContext?)>(Look);
        task.Start(_loop.Scheduler);
        Assert.Equal(here, await Deadline.For(task));
        Assert.Equal(here, await Deadline.For(Task.CompletedTask.ContinueWith(_ => Look(), _loop.Scheduler)));
        Assert.Equal(here, await Deadline.For(Task.Run(() => { }).ContinueWith(_ => Look(), _loop.Scheduler)));
    }

    [Fact]
    public async Task LongRunningTasks_StayOnTheLoop()
    {
        Assert.Same(_loop, await Deadline.For(StartNew(() => EventLoop.Current, TaskCreationOptions.LongRunning)));
    }

    [Fact]
    public async Task ChildTasks_StayOnTheLoop()
    {
        (EventLoop?, EventLoop?) seen = await Deadline.For(StartNew(() =>
        {
            Task<EventLoop?> child = Task.Factory.StartNew(() => EventLoop.Current); // takes the current scheduler
            Endless.Wait(child); // without a time limit: only such a wait inlines
            return (EventLoop.Current, child.Result);
        }));
        Assert.Equal((_loop, _loop), seen);
    }

    [Fact]
    public async Task QueuedTasks_CanBeListed_AndRunInTheirOrder()
    {
        var ran = new List<int>();
        Task[] tasks;
        using (new OccupiedLoop(_loop))
        {
            _loop.UnsafePost(static _ => { }, "no task");
            tasks = [.. Enumerable.Range(0, 100).Select(i => StartNew(() => ran.Add(i)))];
            Assert.Equal(tasks, (IEnumerable<Task>)Call("GetScheduledTasks")!);
            Assert.Equal(101, _loop.PendingCallbackCount);
        }

        await Deadline.For(Task.WhenAll(tasks)); // a cancelled one is taken back: CancellationContract, LoopDroppedWorkTests
        Assert.Equal(Enumerable.Range(0, 100), ran);
    }

    /// <summary>A callback with a waited-for task as its state must not be taken for the task.</summary>
    [Fact]
    public async Task T38_CallbackWithTheTaskAsItsState_IsNotTakenForTheTask()
    {
        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await Deadline.For(StartNew(() =>
        {
            var task = new Task(static () => { });
            _loop.UnsafePost(_ => ran.SetResult(), task);
            task.Start(_loop.Scheduler);
            Endless.Wait(task); // inlines
        }));
        await Deadline.For(ran.Task);
    }

    [Fact]
    public async Task CancelledTasks_DoNotRun()
    {
        using var source = new CancellationTokenSource();
        int ran = 0;
        Task task;
        using (new OccupiedLoop(_loop))
        {
            task = Task.Factory.StartNew(() => ran++, source.Token, TaskCreationOptions.None, _loop.Scheduler);
            await source.CancelAsync();
        }

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Deadline.For(task));
        Assert.Equal(0, ran);
    }

    [Fact]
    public async Task TasksThatThrow_FaultAndTheLoopGoesOn()
    {
        await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(StartNew(() => throw new InvalidTimeZoneException())));
        Assert.Same(_loop, await Deadline.For(StartNew(() => EventLoop.Current)));
    }

    // The members that only debuggers and the runtime call.
    private object? Call(string method, params object[] arguments) => typeof(TaskScheduler)
        .GetMethod(method, BindingFlags.Instance | BindingFlags.NonPublic)!
        .Invoke(_loop.Scheduler, arguments);

    private Task StartNew(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.None, _loop.Scheduler);

    private Task<T> StartNew<T>(Func<T> function, TaskCreationOptions options = TaskCreationOptions.None) =>
        Task.Factory.StartNew(function, CancellationToken.None, options, _loop.Scheduler);
}
