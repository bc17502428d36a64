using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>Several loops that begin and end together.</summary>
public sealed class EventLoopGroupTests
{
    private const string Name = "grouped";

    [Fact]
    public void AGroup_HasOneLoopPerProcessor_OrAsManyAsAsked()
    {
        using var perProcessor = new EventLoopGroup();
        Assert.Equal(Environment.ProcessorCount, perProcessor.Loops.Count);
        using var three = new EventLoopGroup(3, new EventLoopOptions { Name = Name });
        Assert.Equal(["grouped-0", "grouped-1", "grouped-2"], three.Loops.Select(loop => loop.Name));
        Assert.Equal(["grouped-0", "grouped-1", "grouped-2"], three.Loops.Select(loop => loop.Call(() => Thread.CurrentThread.Name)));
    }

    [Fact]
    public void Next_GoesRound_AlsoForManyThreads()
    {
        using var group = new EventLoopGroup(3);
        Assert.Equal([.. group.Loops, .. group.Loops], Enumerable.Range(0, 6).Select(_ => group.Next()));

        var taken = new int[3];
        StartGate.Run(4, _ =>
        {
            for (int i = 0; i < 3_000; i++)
            {
                Interlocked.Increment(ref taken[group.Loops.ToList().IndexOf(group.Next())]);
            }
        });
        Assert.Equal([4_000, 4_000, 4_000], taken);
    }

    [Fact]
    public void ArgumentsOutOfRange_AreNamed()
    {
        Assert.Throws<ArgumentOutOfRangeException>("count", () => new EventLoopGroup(0));
        Assert.Throws<ArgumentOutOfRangeException>("count", () => new EventLoopGroup(-1));
        Assert.Throws<ArgumentOutOfRangeException>("count", () => new EventLoopGroup(EventLoopGroup.LoopLimit + 1));
        Assert.Throws<ArgumentException>("Name", () => new EventLoopGroup(1, new EventLoopOptions { Name = "" }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxStackSize", () => new EventLoopGroup(1, new EventLoopOptions { MaxStackSize = 1 }));
    }

    [Fact]
    public async Task Shutdown_EndsAllLoopsAndAddsUpWhatTheyDropped()
    {
        var group = new EventLoopGroup(3);
        OccupiedLoop[] occupied = [.. group.Loops.Select(loop => new OccupiedLoop(loop))];
        for (int i = 0; i < 10; i++)
        {
            group.Next().UnsafePost(static _ => { }, null);
        }

        Task<long> stopped = group.ShutdownAsync(new CancellationToken(canceled: true));
        Assert.Equal(10, await Deadline.For(stopped));
        Array.ForEach(occupied, loop => loop.Dispose());
        Assert.All(group.Loops, loop => Assert.Throws<ObjectDisposedException>(() => loop.Post(static _ => { }, null)));
        await Deadline.For(group.DisposeAsync().AsTask());
        group.Dispose();
    }

    [Fact]
    public void Dispose_WaitsForTheWorkOfAll_ButNotOnALoopOfItsOwn()
    {
        var group = new EventLoopGroup(2);
        int ran = 0;
        group.Loops[0].Call(() =>
        {
            group.Loops[0].UnsafePost(_ => Interlocked.Increment(ref ran), null);
            group.Loops[1].UnsafePost(_ => Interlocked.Increment(ref ran), null);
            group.Dispose();
        });
        group.Dispose();
        Assert.Equal(2, ran);
    }

    [Fact]
    public void T44_AFailureInTheMiddle_EndsTheLoopsThatWereMade()
    {
        new EventLoop().Dispose();
        int descriptors = LoopThreads.OpenDescriptors();
        using (var starts = new FailingThreadStarts($"{Name}-2"))
        {
            Assert.ThrowsAny<OutOfMemoryException>(() => new EventLoopGroup(4, new EventLoopOptions { Name = Name }));
            Assert.Equal(1, starts.Attempts);
        }

        Deadline.Until(() => LoopThreads.Count(Name) == 0);
        Deadline.Until(() => LoopThreads.OpenDescriptors() <= descriptors, "the descriptors are closed");
    }
}
