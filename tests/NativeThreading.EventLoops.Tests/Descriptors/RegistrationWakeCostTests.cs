using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>T73: waking a loop costs the same however many descriptors it watches.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class RegistrationWakeCostTests
{
    private const int Few = 1;
    private const int Many = 10_000;
    private const int Wakes = 400;
    private const int Rounds = 5;
    private const int MostRounds = 30; // on a machine that others use

    [Fact]
    public void T73_WakingALoopWithManyRegistrations()
    {
        using EventLoop ofFew = new(), ofMany = new();
        using Pair first = Pair.OfPipeToRead(), second = Pair.OfPipeToRead();
        Descriptor[] few = Watch(ofFew, first.Here.Number, Few), many = Watch(ofMany, second.Here.Number, Many);

        var costs = new List<(double Few, double Many)>();
        while (costs.Count < Rounds || (!CostsTheSame() && costs.Count < MostRounds))
        {
            costs.Add((MicrosecondsPerWake(ofFew), MicrosecondsPerWake(ofMany)));
        }

        Assert.True(CostsTheSame(), string.Join("; ", costs.Select(cost => $"{cost.Few:F1} and {cost.Many:F1} us")));
        Deadline.Wait(ofMany.ShutdownAsync(CancellationToken.None));
        Deadline.Wait(ofFew.ShutdownAsync(CancellationToken.None));
        Array.ForEach([.. few, .. many], descriptor => descriptor.Dispose());

        // Wide: a scan of all registrations, were it 10 ns each, would make it 100 us more. The best round of each counts.
        bool CostsTheSame() => costs.Min(cost => cost.Many) < (3 * costs.Min(cost => cost.Few)) + 20;
    }

    /// <summary>The same file under many numbers: to the loop, different descriptors. None is ever ready.</summary>
    private static Descriptor[] Watch(EventLoop loop, int descriptor, int count) => Deadline.Result(loop.InvokeAsync(() =>
    {
        var watched = new Descriptor[count];
        for (int i = 0; i < count; i++)
        {
            watched[i] = new Descriptor(Libc.DuplicateAbove(descriptor, 100));
            loop.Register(watched[i], EventLoopInterest.Read, static (_, _) => Assert.Fail("told"), null);
        }

        return watched;
    }));

    private static double MicrosecondsPerWake(EventLoop loop)
    {
        using var ran = new SemaphoreSlim(0);
        Action<object?> run = _ => ran.Release();
        EventLoopStats before = loop.Stats;
        long started = Stopwatch.GetTimestamp();
        for (int i = 0; i < Wakes; i++)
        {
            loop.UnsafePost(run, null);
            Deadline.Wait(ran);
        }

        double taken = Stopwatch.GetElapsedTime(started).TotalMicroseconds;
        EventLoopStats after = loop.Stats;

        // One wait, one write and one read for each, whatever is registered; one more wait on the way. A loop that lingers looks as well.
        Assert.InRange(after.SystemCalls - after.Looks - (before.SystemCalls - before.Looks), 0, (3 * Wakes) + 1);
        Assert.Equal(before.Controls, after.Controls);
        return taken / Wakes;
    }
}
