using System.Diagnostics;
using System.Globalization;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops;

/// <summary>T108: a loop that has nothing to do does nothing, however much is registered with it.</summary>
[Trait("Category", "Soak")]
public sealed class QuietLoopTests : SoakTest
{
    // A test that nothing happens has to let time pass: there is no event to wait for.
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1.2);
    private static readonly TimeSpan s_settled = TimeSpan.FromMilliseconds(300);

    [Fact]
    [NeedsSystem(NeedsSystemAttribute.Proc)]
    public async Task T108_IdleLoop_MakesNoSystemCallAndNoContextSwitch()
    {
        using var idle = new EventLoop(new EventLoopOptions { Name = "quiet-fresh" });
        using var used = new EventLoop(new EventLoopOptions { Name = "quiet-used" });
        NativeThreadPool pool = NewPool(2);
        EventLoop[] loops = [idle, used];
        await Deadline.For(used.InvokeAsync(() => Use(used, pool)));

        (long, long)[] before = [];
        long settledSince = 0;
        Deadline.Until(() =>
        {
            (long, long)[] now = Array.ConvertAll(loops, Activity);
            if (!now.SequenceEqual(before))
            {
                before = now;
                settledSince = Stopwatch.GetTimestamp();
            }

            return Stopwatch.GetElapsedTime(settledSince) > s_settled;
        });

        await Task.Delay(s_window, TestContext.Current.CancellationToken);
        Assert.Equal(before, Array.ConvertAll(loops, Activity));
    }

    /// <summary>Leaves a loop with timers of all states, and a past of offloads and awaits.</summary>
    private static async Task Use(EventLoop loop, NativeThreadPool pool)
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
        for (int i = 0; i < 100; i++)
        {
            await loop.OffloadAsync(pool, static () => { });
            new EventLoopTimer(loop, static _ => { }, null).Arm(TimeSpan.FromHours(i + 1));
        }
    }

    private static (long SystemCalls, long Switches) Activity(EventLoop loop)
    {
        EventLoopStats stats = loop.Stats;
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                if (File.ReadAllText(task + "/comm").TrimEnd() == loop.Name)
                {
                    return (stats.SystemCalls, File.ReadLines(task + "/status")
                        .Where(line => line.Contains("ctxt_switches:", StringComparison.Ordinal))
                        .Sum(line => long.Parse(line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..], CultureInfo.InvariantCulture)));
                }
            }
            catch (IOException)
            {
                // The thread ended between the listing and the read.
            }
        }

        throw new InvalidOperationException($"{loop} has no thread.");
    }
}
