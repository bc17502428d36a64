using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>
/// Where an async method of the loop continues, after every await (T109). The cases of <see cref="Leaving"/> are those in
/// which it asks to leave.
/// </summary>
public sealed class LoopAsyncTableTests : IDisposable
{
    private readonly EventLoop _loop = new();
    private readonly NativeThreadPool _pool = Pools.WithThreads(1);

    public void Dispose()
    {
        _loop.Dispose();
        _pool.Dispose();
    }

    public static TheoryData<string> Staying() => new(LoopAsyncCases.Staying.Keys);

    public static TheoryData<string> Leaving() => new(LoopAsyncCases.Leaving.Keys);

    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_OperationStaysOnTheLoopAfterEveryAwait(string name)
    {
        var trace = new LoopTrace(_loop, _pool);
        await Deadline.For(_loop.InvokeAsync(() => LoopAsyncCases.Staying[name](trace)));
        AssertStayed(trace);
    }

    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_MethodBegunByACallback_StaysOnTheLoop(string name)
    {
        var trace = new LoopTrace(_loop, _pool);
        await Deadline.For(_loop.Call(() => LoopAsyncCases.Staying[name](trace)));
        AssertStayed(trace);
    }

    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_MethodBegunByATask_StaysOnTheLoop(string name)
    {
        var trace = new LoopTrace(_loop, _pool);
        await Deadline.For(Task.Factory.StartNew(
            () => LoopAsyncCases.Staying[name](trace), CancellationToken.None, TaskCreationOptions.None, _loop.Scheduler).Unwrap());
        AssertStayed(trace);
    }

    [Theory]
    [MemberData(nameof(Leaving))]
    public async Task T109_LeavesTheLoopWhereAsked(string name)
    {
        var trace = new LoopTrace(_loop, _pool);
        await Deadline.For(_loop.InvokeAsync(() => LoopAsyncCases.Leaving[name](trace)));
        Assert.Equal([LoopTrace.Here, LoopTrace.Elsewhere], trace.Places.Distinct());
        Assert.Equal(LoopTrace.Elsewhere, trace.Places[^1]);
    }

    private static void AssertStayed(LoopTrace trace)
    {
        Assert.NotEmpty(trace.Places);
        Assert.All(trace.Places, place => Assert.Equal(LoopTrace.Here, place));
    }
}
