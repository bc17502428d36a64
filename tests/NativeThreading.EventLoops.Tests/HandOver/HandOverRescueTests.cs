using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>Callbacks that block at the limit of a loop, and wait for what the loop has not run yet: another thread takes it over, a few times.</summary>
public sealed class HandOverRescueTests() : HandOverTest(maxBlockedThreads: 2, maxRescueThreads: 3)
{
    [Fact]
    public void CallbacksThatWaitForTheirLoop_AtItsLimit_AreRescued_AndTheLoopSaysSo()
    {
        using var log = new EventLog();
        Task[] callbacks = [.. Enumerable.Range(0, 5).Select(_ => Loop.InvokeAsync(() => Deadline.Wait(InnerAsync())))];
        Deadline.Wait(Task.WhenAll(callbacks));
        Assert.Equal(2, log.WaitFor("LoopRescued", Loop.Name).Payload![1]);
        Assert.Single(log.Of("LoopRescued", Loop.Name));

        static async Task InnerAsync()
        {
            await Task.Delay(1);
            await Task.Yield();
        }
    }

    [Fact]
    public async Task BeyondTheBound_TheLoopWaits()
    {
        const int most = 2 + 3;
        using var log = new EventLog();
        using var inside = new CountdownEvent(most + 1);
        for (int i = 0; i <= most; i++)
        {
            Loop.Post(
                _ =>
                {
                    inside.Signal();
                    Block();
                },
                null);
        }

        Task behind = Loop.InvokeAsync(static () => { });
        Deadline.Wait(inside);
        Assert.Equal(2, log.WaitFor("LoopBlockedLimitReached", Loop.Name).Payload![1]);
        Assert.False(behind.IsCompleted);
        Assert.Single(log.Of("LoopBlockedLimitReached", Loop.Name));
        LetGo();
        await Deadline.For(behind);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(NativeThreadPoolOptions.ThreadLimit + 1)]
    public void Bound_OutOfItsRange_IsRejected(int most) => Assert.Throws<ArgumentOutOfRangeException>(
        "MaxRescueThreads", () => new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true, MaxRescueThreads = most }));
}
