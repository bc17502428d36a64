using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>
/// Where an async method of the pool continues, after every await (T109). The cases of <see cref="Leaving"/> are the
/// documented exceptions.
/// </summary>
public sealed class AsyncTableTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    public static TheoryData<string> Staying() => new(AsyncCases.Staying.Keys);

    public static TheoryData<string> Leaving() => new(AsyncCases.Leaving.Keys);

    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_StaysOnThePoolAfterEveryAwait(string name)
    {
        var trace = new AsyncTrace(_pool);
        await Deadline.For(_pool.Run(() => AsyncCases.Staying[name](trace)));
        Assert.NotEmpty(trace.Places);
        Assert.All(trace.Places, place => Assert.Equal(AsyncTrace.Here, place));
    }

    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_StaysOnThePoolAfterASwitch(string name)
    {
        var trace = new AsyncTrace(_pool);
        await Deadline.For(Task.Run(async () =>
        {
            await _pool.SwitchTo();
            await AsyncCases.Staying[name](trace);
        }));
        Assert.All(trace.Places, place => Assert.Equal(AsyncTrace.Here, place));
    }

    /// <summary>There by the scheduler, which is kept through every await.</summary>
    [Theory]
    [MemberData(nameof(Staying))]
    public async Task T109_StaysOnThePoolInATaskOfTheFactory(string name)
    {
        var trace = new AsyncTrace(_pool);
        await Deadline.For(_pool.Factory.StartNew(() => AsyncCases.Staying[name](trace)).Unwrap());
        Assert.All(trace.Places, place => Assert.Equal(AsyncTrace.Here, place));
    }

    [Theory]
    [MemberData(nameof(Leaving))]
    public async Task T109_LeavesThePoolWhereDocumented(string name)
    {
        var trace = new AsyncTrace(_pool);
        await Deadline.For(_pool.Run(() => AsyncCases.Leaving[name](trace)));
        Assert.Equal([AsyncTrace.Here, AsyncTrace.Elsewhere], trace.Places.Distinct());
        Assert.Equal(AsyncTrace.Elsewhere, trace.Places[^1]);
    }
}
