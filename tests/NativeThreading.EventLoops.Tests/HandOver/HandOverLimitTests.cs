using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>At the limit the loop waits, reports that once, and continues when a callback returns.</summary>
public sealed class HandOverLimitTests() : HandOverTest(maxBlockedThreads: 1, maxRescueThreads: 0)
{
    [Fact]
    public async Task AtTheLimit_TheLoopWaits_AndSaysSoOnce()
    {
        using var log = new EventLog();
        Task first = BlockTheLoop();
        using var second = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        Loop.Post(
            _ =>
            {
                second.Set();
                Deadline.Wait(go);
            },
            null);
        Deadline.Wait(second);
        Task behind = Loop.InvokeAsync(static () => { });

        Assert.Equal(1, log.WaitFor("LoopBlockedLimitReached", Loop.Name).Payload![1]);
        Assert.False(behind.IsCompleted);
        LetGo();
        await Deadline.For(first);
        await Deadline.For(behind); // the second one is relieved now
        go.Set();
        Assert.Single(log.Of("LoopBlockedLimitReached", Loop.Name));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(NativeThreadPoolOptions.ThreadLimit + 1)]
    public void Limit_OutOfItsRange_IsRefused(int limit) => Assert.Throws<ArgumentOutOfRangeException>(
        "MaxBlockedThreads", () => new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true, MaxBlockedThreads = limit }));
}
