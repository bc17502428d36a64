using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The overloads of Run, and of Task.Run with a pool.</summary>
public sealed class RunTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(2);

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task Results_ComeBack()
    {
        bool ran = false;
        await Deadline.For(_pool.Run(() => { ran = true; }));
        Assert.True(ran);
        Assert.Equal(1, await Deadline.For(_pool.Run(() => 1)));
        Assert.Equal(2, await Deadline.For(_pool.Run(async () =>
        {
            await Task.Yield();
            return 2;
        })));
        int number = 0;
        await Deadline.For(_pool.Run(async () =>
        {
            await Task.Yield();
            number = 3;
        }));
        Assert.Equal(3, number);
    }

    [Fact]
    public async Task TaskRunWithAPool_IsThePoolsRun()
    {
        NativeThreadPool? seen = null;
        await Deadline.For(Task.Run(_pool, () => { seen = NativeThreadPool.Current; }));
        Assert.Same(_pool, seen);
        Assert.Same(_pool, await Deadline.For(Task.Run(_pool, () => NativeThreadPool.Current)));
        Assert.Same(_pool, await Deadline.For(Task.Run(_pool, async () =>
        {
            await Task.Yield();
            return NativeThreadPool.Current;
        })));
        await Deadline.For(Task.Run(_pool, async () =>
        {
            await Task.Yield();
            seen = null;
        }));
        Assert.Null(seen);
    }

    [Fact]
    public async Task Exceptions_ComeBackAsTheyWereThrown()
    {
        Func<Task>[] runs =
        [
            () => _pool.Run(() => throw new InvalidTimeZoneException("mine")),
            () => _pool.Run((Func<int>)(() => throw new InvalidTimeZoneException("mine"))),
            () => _pool.Run(async () =>
            {
                await Task.Yield();
                throw new InvalidTimeZoneException("mine");
            }),
            () => _pool.Run(async () =>
            {
                await Task.Yield();
                return Fail();
            }),
        ];
        foreach (Func<Task> run in runs)
        {
            var exception = await Assert.ThrowsAsync<InvalidTimeZoneException>(() => Deadline.For(run()));
            Assert.Equal("mine", exception.Message);
        }

        static int Fail() => throw new InvalidTimeZoneException("mine");
    }

    [Fact]
    public void NullArguments_AreNamed()
    {
        (string Name, Action Call)[] calls =
        [
            ("action", () => _pool.Run((Action)null!)),
            ("function", () => _pool.Run((Func<int>)null!)),
            ("function", () => _pool.Run((Func<Task>)null!)),
            ("function", () => _pool.Run((Func<Task<int>>)null!)),
            ("action", () => Task.Run(_pool, (Action)null!)),
            ("pool", () => Task.Run(null!, () => { })),
            ("pool", () => Task.Run(null!, () => 1)),
            ("pool", () => Task.Run(null!, () => Task.CompletedTask)),
            ("pool", () => Task.Run(null!, () => Task.FromResult(1))),
        ];
        Assert.All(calls, call => Assert.Throws<ArgumentNullException>(call.Name, call.Call));
    }

    [Fact]
    public async Task FunctionThatReturnsNoTask_EndsAsWithTheRuntimesRun()
    {
        Task reference = Task.Run((Func<Task>)(() => null!));
        Task ours = _pool.Run((Func<Task>)(() => null!));
        await Deadline.For(Task.WhenAny(reference));
        await Deadline.For(Task.WhenAny(ours));
        Assert.Equal(reference.Status, ours.Status);
        Assert.Equal(0, await Deadline.For(_pool.ShutdownAsync(CancellationToken.None)));
    }

    [Fact]
    public async Task AttachedChildren_AreDenied()
    {
        using var release = new ManualResetEventSlim();
        await Deadline.For(_pool.Run(() =>
        {
            Task.Factory.StartNew(() => release.Wait(Deadline.Time), TaskCreationOptions.AttachedToParent);
        }));
        release.Set();
    }

    [Fact]
    public async Task AsyncLocal_FlowsIntoTheOperation()
    {
        var local = new AsyncLocal<string> { Value = "caller" };
        Assert.Equal("caller", await Deadline.For(_pool.Run(async () =>
        {
            await Task.Yield();
            return local.Value;
        })));
    }
}
