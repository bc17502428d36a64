using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T108: a pool that has nothing to do does nothing.</summary>
[Trait("Category", "Soak")]
public sealed class QuietPoolTests : SoakTest
{
    // A test that nothing happens has to let time pass: there is no event to wait for.
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1.2);

    [Fact]
    public async Task T108_ParkedWorkers_MakeNoContextSwitch()
    {
        NativeThreadPool[] pools =
        [
            NewFullPool(4, options => options.IdleTimeout = Timeout.InfiniteTimeSpan),
            NewFullPool(1, options => options.IdleTimeout = Timeout.InfiniteTimeSpan),
            NewFullPool(2, options => options.LingerTime = TimeSpan.Zero),
        ];

        // The last worker to park looks once more, a second later, before it parks for good.
        long[] before = [];
        long settledSince = 0;
        Deadline.Until(() =>
        {
            long[] now = Array.ConvertAll(pools, ThreadUsage.Switches);
            if (!now.SequenceEqual(before))
            {
                before = now;
                settledSince = Stopwatch.GetTimestamp();
            }

            return Stopwatch.GetElapsedTime(settledSince) > 1.2 * PoolProbe.RequestExpiry;
        });

        await Task.Delay(s_window, TestContext.Current.CancellationToken);
        Assert.Equal(before, Array.ConvertAll(pools, ThreadUsage.Switches));
        Assert.All(pools, pool => Assert.True(pool.Probe.IsAtRest));
    }
}
