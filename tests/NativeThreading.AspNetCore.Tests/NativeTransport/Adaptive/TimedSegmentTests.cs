using System.Diagnostics;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What a segment of code is found to have done. Others may use the machine: each has several attempts.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class TimedSegmentTests
{
    private const int Attempts = 100;

    [Fact]
    public void SegmentThatDoesNothing_IsShort() => Assert.Contains(Verdict.Short, Verdicts(static () => { }));

    [Fact]
    public void SegmentThatComputes_IsFoundOut_AndNotTakenForOneThatWaits() => Assert.Contains(Verdict.Computes, Verdicts(Places.Compute));

    [Fact]
    public void SegmentThatSleeps_IsFoundOut_AndNotTakenForOneThatLacksAProcessor()
    {
        Verdict[] verdicts = [.. Verdicts(static () => Thread.Sleep(5)).Take(5)];

        Assert.Contains(Verdict.Waits, verdicts);
        Assert.DoesNotContain(Verdict.Short, verdicts);
    }

    [Fact]
    public void WhatAJudgedSegmentInsideTakes_IsNotThatOfTheOneAroundIt()
    {
        Assert.Contains(Verdict.Short, Verdicts(static () => Assert.NotEqual(Verdict.Short, Judge(static () => Thread.Sleep(5)))));
        Assert.Contains(Verdict.Short, Verdicts(static () => Judge(Places.Compute)));
    }

    [Fact]
    public void TimesOfTheThread_AreItsOwn()
    {
        long processor = ThreadClock.ProcessorTime, sleeps = ThreadClock.Sleeps;
        Thread.Sleep(50);
        Assert.True(ThreadClock.Sleeps > sleeps);
        Assert.InRange(ThreadClock.ProcessorTime - processor, 0, 40_000_000);
        processor = ThreadClock.ProcessorTime;
        long started = Stopwatch.GetTimestamp();
        Deadline.Until(() => ThreadClock.ProcessorTime - processor > 1_000_000);
        Assert.True(Stopwatch.GetElapsedTime(started) > TimeSpan.FromMicroseconds(500));
    }

    [Fact]
    public void SegmentThatIsNotWatchedClosely_AndDoesNotCompute_IsShortOrLongByTheClock()
    {
        Assert.Contains(Verdict.Short, Enumerable.Range(0, Attempts).Select(static _ => TimedSegment.Begin(isClose: false).End(out long _)));

        var segment = TimedSegment.Begin(isClose: false);
        Thread.Sleep(2);
        Assert.Equal(Verdict.Long, segment.End(out _));
    }

    [Fact]
    public void SegmentThatIsNotWatchedClosely_IsFoundOutWhereItComputes_AndForHowLong()
    {
        Assert.Contains(Enumerable.Range(0, Attempts), static _ =>
        {
            var segment = TimedSegment.Begin(isClose: false);
            Places.Compute();
            Verdict verdict = segment.End(out long held);
            return verdict == Verdict.Computes && held is > 4_000_000 and < 7_000_000;
        });
    }

    [Fact]
    public async Task SegmentWhoseLoopIsTakenOver_IsBlamed_AndNoOtherOnThatThread()
    {
        await using var loop = new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true });

        Verdict[] verdicts = await Deadline.For(loop.InvokeAsync(() =>
        {
            var around = TimedSegment.Begin();
            Verdict inside = Judge(() =>
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    Deadline.Until(() => !loop.IsInLoop);
                }
            });
            return new[] { inside, around.End(out _) };
        }));

        Assert.Equal(Verdict.Blocks, verdicts[0]);
        Assert.NotEqual(Verdict.Blocks, verdicts[1]);
    }

    private static IEnumerable<Verdict> Verdicts(Action code) => Enumerable.Range(0, Attempts).Select(_ => Judge(code));

    private static Verdict Judge(Action code)
    {
        var segment = TimedSegment.Begin();
        code();
        return segment.End(out _);
    }
}
