using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Metrics;

/// <summary>What the instruments of event loops say.</summary>
public sealed class LoopMeasurementTests
{
    private const string Turns = "turn.count", Busy = "busy.time", Queue = "queue.length";

    [Fact]
    public async Task LoopsOfAContainer_ReportToItsMeter_OthersToTheStaticOne()
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup("meter", options => options.LoopCount = 2));
        EventLoopGroup loops = host.Provider.GetRequiredKeyedService<EventLoopGroup>("meter");
        await using var own = new EventLoop(new EventLoopOptions { Name = "loop-of-its-own" });
        using var meter = new MeterRecord(host.Provider.GetRequiredService<IMeterFactory>(), of: "loop");
        using var staticMeter = new MeterRecord(scope: null, of: "loop");
        Assert.Equal(["meter-0", "meter-1"], meter.Names.Order());
        Assert.Contains("loop-of-its-own", staticMeter.Names);
        Assert.DoesNotContain(loops.Loops[0].Name, staticMeter.Names);
        Assert.Single(meter.Instruments.Select(instrument => instrument.Meter).Distinct());
    }

    [Fact]
    public async Task TurnsAndBusyTime_AreCountedWhileSomebodyListens()
    {
        await using var loop = new EventLoop(new EventLoopOptions { Name = "counted-turns" });
        await Deadline.For(TurnsAsync(loop));
        using (var queue = new MeterRecord(scope: null, static instrument => instrument.Name.EndsWith(Queue, StringComparison.Ordinal), of: "loop"))
        {
            await Deadline.For(TurnsAsync(loop));
            Assert.Equal(0, queue.Now(loop.Name, Queue));
        }

        double turns, busy;
        using (var meter = new MeterRecord(scope: null, of: "loop"))
        {
            Assert.Equal((0, 0), (meter.Now(loop.Name, Turns), meter.Now(loop.Name, Busy))); // no listener had asked for these
            Deadline.Until(() =>
            {
                Deadline.Wait(TurnsAsync(loop));
                return meter.Now(loop.Name, Turns) >= 5;
            });
            (turns, busy) = (meter.Now(loop.Name, Turns), meter.Now(loop.Name, Busy));
            Assert.True(busy > 0);
        }

        await Deadline.For(TurnsAsync(loop)); // the last turn that was timed has ended
        using var late = new MeterRecord(scope: null, of: "loop");
        double before = late.Now(loop.Name, Turns);
        Assert.True(before >= turns && late.Now(loop.Name, Busy) >= busy);
    }

    [Fact]
    public async Task CallbacksThatWait_AreTheQueue()
    {
        await using var loop = new EventLoop(new EventLoopOptions { Name = "queued" });
        using ManualResetEventSlim entered = new(), release = new();
        loop.Post(
            _ =>
            {
                entered.Set();
                Deadline.Wait(release);
            },
            null);
        loop.Post(static _ => { }, null);
        loop.Post(static _ => { }, null);
        Deadline.Wait(entered);
        using var meter = new MeterRecord(scope: null, of: "loop");
        Assert.Equal(2, meter.Now(loop.Name, Queue));
        release.Set();
        Deadline.Until(() => meter.Now(loop.Name, Queue) == 0);
    }

    /// <summary>A few turns, each behind a sleep.</summary>
    private static Task TurnsAsync(EventLoop loop) => loop.InvokeAsync(async () =>
    {
        for (int i = 0; i < 3; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
        }
    });
}
