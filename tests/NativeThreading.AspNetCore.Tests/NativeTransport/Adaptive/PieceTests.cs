using System.Diagnostics;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What a piece of code is found to have done. Others may use the machine: each has several attempts.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class PieceTests
{
    private const int Attempts = 100;

    [Fact]
    public void PieceThatDoesNothing_IsShort() => Assert.Contains(Verdict.Short, Verdicts(static () => { }));

    [Fact]
    public void PieceThatComputes_IsFoundOut_AndNotTakenForOneThatWaits() => Assert.Contains(Verdict.Computes, Verdicts(Places.Compute));

    [Fact]
    public void PieceThatSleeps_IsFoundOut_AndNotTakenForOneThatLacksAProcessor()
    {
        Verdict[] verdicts = [.. Verdicts(static () => Thread.Sleep(5)).Take(5)];

        Assert.Contains(Verdict.Waits, verdicts);
        Assert.DoesNotContain(Verdict.Short, verdicts);
    }

    [Fact]
    public void WhatAJudgedPieceInsideTakes_IsNotThatOfTheOneAroundIt()
    {
        Assert.Contains(Verdict.Short, Verdicts(static () => Assert.NotEqual(Verdict.Short, Judge(static () => Thread.Sleep(5)))));
        Assert.Contains(Verdict.Short, Verdicts(static () => Judge(Places.Compute)));
    }

    [Fact]
    public void TimesOfTheThread_AreItsOwn()
    {
        long processor = ThreadTime.Processor, sleeps = ThreadTime.Sleeps;
        Thread.Sleep(50);
        Assert.True(ThreadTime.Sleeps > sleeps);
        Assert.InRange(ThreadTime.Processor - processor, 0, 40_000_000);
        processor = ThreadTime.Processor;
        long begun = Stopwatch.GetTimestamp();
        Deadline.Until(() => ThreadTime.Processor - processor > 1_000_000);
        Assert.True(Stopwatch.GetElapsedTime(begun) > TimeSpan.FromMicroseconds(500));
    }

    [Fact]
    public void PieceThatIsNotWatchedClosely_AndDoesNotCompute_IsShortOrLongByTheClock()
    {
        Assert.Contains(Verdict.Short, Enumerable.Range(0, Attempts).Select(static _ => Piece.Begin(isClose: false).End(out long _)));

        var piece = Piece.Begin(isClose: false);
        Thread.Sleep(2);
        Assert.Equal(Verdict.Long, piece.End(out _));
    }

    [Fact]
    public void PieceThatIsNotWatchedClosely_IsFoundOutWhereItComputes_AndForHowLong()
    {
        Assert.Contains(Enumerable.Range(0, Attempts), static _ =>
        {
            var piece = Piece.Begin(isClose: false);
            Places.Compute();
            Verdict verdict = piece.End(out long held);
            return verdict == Verdict.Computes && held is > 4_000_000 and < 7_000_000;
        });
    }

    [Fact]
    public async Task PieceWhoseLoopIsTakenOver_IsBlamed_AndNoOtherOnThatThread()
    {
        await using var loop = new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true });

        Verdict[] verdicts = await Deadline.For(loop.InvokeAsync(() =>
        {
            var around = Piece.Begin();
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
        var piece = Piece.Begin();
        code();
        return piece.End(out _);
    }
}
