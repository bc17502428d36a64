using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Who may linger: one worker per process, and only where it has paid recently.</summary>
public sealed class LingerPolicyTests
{
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(1);

    private readonly WorkerSignal _signal = new();
    private readonly LingerPolicy _policy = new(s_time);

    [Fact]
    public void Duration_IsTheOptionsOrTheCalibratedWakeLatency()
    {
        if (HasOneCpu())
        {
            return;
        }

        Assert.Equal(Stopwatch.Frequency / 1_000, _policy.Duration);
        Assert.Equal(0, new LingerPolicy(TimeSpan.Zero).Duration);

        LingerBudget.Measure();
        long calibrated = new LingerPolicy(null).Duration;
        Assert.Equal((long)(LingerBudget.WakeLatencyNanoseconds * (Stopwatch.Frequency / 1e9)), calibrated);
        Assert.InRange(calibrated, Stopwatch.Frequency / 200_000, Stopwatch.Frequency / 20_000); // 5..50 us
    }

    [Fact]
    public void ZeroTime_TurnsItOff()
    {
        Assert.False(new LingerPolicy(TimeSpan.Zero).TryBegin(_signal));
        Assert.Equal(0UL, _signal.Word);
    }

    [Fact]
    public void T46_OneLingererInTheProcess()
    {
        if (HasOneCpu())
        {
            return;
        }

        WorkerSignal otherPool = new();
        var otherPolicy = new LingerPolicy(s_time);
        Begin(_policy, _signal);
        Assert.Equal(SignalWord.Lingering, _signal.Word);

        Assert.False(_policy.TryBegin(_signal));
        Assert.False(otherPolicy.TryBegin(otherPool));
        Assert.Equal(0UL, otherPool.Word);

        _signal.EndLinger();
        _policy.End(found: true);
        Assert.Equal(0UL, _signal.Word);
        Begin(otherPolicy, otherPool);
        otherPool.EndLinger();
        otherPolicy.End(found: true);
    }

    [Fact]
    public void T46_PlaceInTheBudget_IsGivenBackWhereThePoolHasALingererAlready()
    {
        if (HasOneCpu())
        {
            return;
        }

        Assert.True(_signal.TryBeginLinger());
        Assert.False(_policy.TryBegin(_signal));
        _signal.EndLinger();

        Begin(_policy, _signal); // would fail if the place had been kept
        _signal.EndLinger();
        _policy.End(found: false);
    }

    [Fact]
    public void LingeringInVain_SpendsTheCredit_AndDenseArrivalsEarnItBack()
    {
        if (HasOneCpu())
        {
            return;
        }

        int times = LingerUntilRefused(found: false);
        Assert.InRange(times, 1, 16);

        _policy.NoteGap(100 * _policy.Duration);
        Assert.False(_policy.TryBegin(_signal), "A sparse arrival earned lingering.");

        _policy.NoteGap(_policy.Duration / 2);
        Begin(_policy, _signal);
        _signal.EndLinger();
        _policy.End(found: true);
    }

    [Fact]
    public void LingeringThatFinds_KeepsItsCredit()
    {
        if (HasOneCpu())
        {
            return;
        }

        for (int i = 0; i < 100; i++)
        {
            Begin(_policy, _signal);
            _signal.EndLinger();
            _policy.End(found: true);
        }

        Assert.InRange(LingerUntilRefused(found: false), 1, 16); // bounded, however much was found before
    }

    [Fact]
    public void T46_ThreadsThatRaceForThePlace_HaveItOneAtATime()
    {
        long inside = 0;
        StartGate.Run(4, _ =>
        {
            for (int i = 0; i < 50_000; i++)
            {
                if (LingerBudget.TryTake(LingerKind.IdleWorker))
                {
                    long before = Interlocked.Increment(ref inside);
                    Interlocked.Decrement(ref inside);
                    LingerBudget.Return(LingerKind.IdleWorker);
                    Assert.Equal(1, before);
                }
            }
        });
    }

    /// <summary>T49: with one CPU every thread is refused, and the test sees only that.</summary>
    private bool HasOneCpu()
    {
        bool one = LingerBudget.WakeLatencyNanoseconds == 0;
        Assert.False(one && _policy.TryBegin(_signal), "Lingering with one CPU.");
        return one;
    }

    private static void Begin(LingerPolicy policy, WorkerSignal signal) =>
        Deadline.Until(() => policy.TryBegin(signal), "the process's place for a lingerer is free");

    private int LingerUntilRefused(bool found)
    {
        int times = 0;
        while (times < 1_000 && _policy.TryBegin(_signal))
        {
            _signal.EndLinger();
            _policy.End(found);
            times++;
        }

        return times;
    }
}
