using System.Reflection;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>An observer names the method that a user wrote, however it was queued.</summary>
public sealed class ItemNameTests : IDisposable
{
    private static readonly string s_here = typeof(ItemNameTests).FullName!;

    private readonly ThreadObserver _observer = new();
    private readonly ManualResetEventSlim _release = new();

    public void Dispose()
    {
        _observer.Dispose();
        _release.Dispose();
    }

    [Fact]
    public void MethodOfAnItem() => AssertNamed(pool => pool.QueueUserWorkItem(HoldState, this), nameof(HoldState));

    [Fact]
    public void ItemWithAValue() => AssertNamed(pool => pool.QueueUserWorkItem(HoldValue, 7, preferLocal: false), nameof(HoldValue));

    [Fact]
    public void Lambda_IsNamedByTheMethodAroundIt() => AssertNamed(pool => pool.QueueUserWorkItem(_ => Hold()), nameof(Lambda_IsNamedByTheMethodAroundIt));

    [Fact]
    public void LocalFunction()
    {
        AssertNamed(pool => pool.Run(Local), nameof(Local));

        void Local() => Hold();
    }

    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public void ActionOfRun(int? limit) => AssertNamed(pool => pool.Run(Hold), nameof(Hold), limit);

    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public void FunctionOfRun(int? limit) => AssertNamed(pool => pool.Run(HoldAndReturn), nameof(HoldAndReturn), limit);

    [Theory]
    [InlineData(null)]
    [InlineData(10)]
    public void OperationOfRun_BeforeItsFirstAwait(int? limit) => AssertNamed(pool => pool.Run(HoldAsync), nameof(HoldAsync), limit);

    [Fact]
    public void OperationOfRun_BehindAnAwait() => AssertNamed(pool => pool.Run(AwaitAndHoldAsync), nameof(AwaitAndHoldAsync));

    [Fact]
    public void OperationOfRun_BehindAYield() => AssertNamed(pool => pool.Run(YieldAndHoldAsync), nameof(YieldAndHoldAsync));

    [Fact]
    public void ItemOfAGroup() => AssertNamed(pool => new WorkGroup(pool).Queue(HoldState, this), nameof(HoldState));

    [Fact]
    public void WorkItemObject() => AssertNamed(
        pool => pool.UnsafeQueueUserWorkItem(new Work(this), preferLocal: false), nameof(IThreadPoolWorkItem.Execute), type: $"{s_here}.{nameof(Work)}");

    /// <summary>The framework keeps the delegate to itself.</summary>
    [Fact]
    public void TaskOfTheScheduler_IsATask() =>
        AssertNamed(pool => Task.Factory.StartNew(Hold, CancellationToken.None, TaskCreationOptions.None, pool.Scheduler), method: null, type: typeof(Task).FullName);

    [Fact]
    public void NotedMethod() => AssertNamed(
        pool => pool.QueueUserWorkItem(_ =>
        {
            ThreadObserver.NoteMethod(MethodBase.GetMethodFromHandle(((Action)HoldStatic).Method.MethodHandle)!);
            Hold();
        }),
        nameof(HoldStatic));

    [Fact]
    public void NotedMethod_IsForgottenWithItsItem()
    {
        using NativeThreadPool pool = Observed.NewPool("noted", threads: 1);
        pool.OnWorker(() => ThreadObserver.NoteMethod(((Action)HoldStatic).Method));
        AssertNamed(pool => pool.QueueUserWorkItem(HoldState, this), nameof(HoldState));
        ThreadObserver.NoteMethod(((Action)HoldStatic).Method); // on no worker: nothing
        Assert.Throws<ArgumentNullException>(() => ThreadObserver.NoteMethod(null!));
    }

    [Fact]
    public void NotedName_ComesBeforeTheMethod()
    {
        RunningItem item = Seen(pool => pool.QueueUserWorkItem(_ =>
        {
            ThreadObserver.NoteName("GET /report", ((Action)HoldStatic).Method);
            Hold();
        }));
        Assert.Equal(("GET /report", nameof(HoldStatic)), (item.Name, item.Method));
        Assert.Throws<ArgumentNullException>(() => ThreadObserver.NoteName(null!));
    }

    [Fact]
    public void Lambda_HasItsNumberInItsMethod()
    {
        Action<object?> first = static _ => throw new InvalidOperationException(), second = _ => Hold();
        Func<Task> third = async () =>
        {
            await Task.Yield();
            Hold();
        };
        Assert.NotNull(first);
        const string here = $"{nameof(ItemNameTests)}.{nameof(Lambda_HasItsNumberInItsMethod)}";
        Assert.Equal($"{here}, 2nd lambda", Seen(pool => pool.QueueUserWorkItem(second, null, preferLocal: false)).Name);
        Assert.Equal($"{here}, 3rd lambda", Seen(pool => pool.Run(third)).Name);
        Assert.Equal($"{nameof(ItemNameTests)}.{nameof(HoldState)}", Seen(pool => pool.QueueUserWorkItem(HoldState, this)).Name);
    }

    private static void HoldStatic()
    {
    }

    private static void HoldState(object? test) => ((ItemNameTests)test!).Hold();

    private void HoldValue(int value) => Hold();

    private void Hold() => _release.Wait(Deadline.Time);

    private int HoldAndReturn()
    {
        Hold();
        return 7;
    }

    private async Task HoldAsync()
    {
        Hold();
        await Task.Yield();
    }

    private async Task AwaitAndHoldAsync()
    {
        await Elsewhere.CompleteAsync();
        Hold();
    }

    private async Task YieldAndHoldAsync()
    {
        await Task.Yield();
        Hold();
    }

    private void AssertNamed(Action<NativeThreadPool> queue, string? method, int? limit = null, string? type = null)
    {
        RunningItem item = Seen(queue, limit);
        Assert.Equal((type ?? s_here, method), (item.Type, item.Method));
    }

    private RunningItem Seen(Action<NativeThreadPool> queue, int? limit = null)
    {
        _release.Reset();
        using NativeThreadPool pool = Observed.NewPool("named", threads: 1, limit);
        queue(pool);
        RunningItem item = _observer.Until(pool, static worker => worker.Item is { Duration.TotalMilliseconds: > 20 }).Item!;
        _release.Set();
        return item;
    }

    private sealed class Work(ItemNameTests test) : IThreadPoolWorkItem
    {
        public void Execute() => test.Hold();
    }
}
