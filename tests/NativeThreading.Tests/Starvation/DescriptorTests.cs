using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Blocked workers come by the hundred; descriptors are a limit of the process.</summary>
[NeedsSystem(NeedsSystemAttribute.Proc)]
public sealed class DescriptorTests : StarvationTest
{
    [Fact]
    public void HundredsOfBlockedWorkers_AreFound_AndLookedAt_WithAFewDescriptors()
    {
        const int workers = 300;
        NativeThreadPool pool = NewPool(2);
        new BlockedWorkers(pool, 3).Dispose(); // what a first use opens is open
        int before = OpenDescriptors();
        using (new BlockedWorkers(pool, workers))
        {
            pool.OnWorker(static () => { }); // all of them are proven
            int most = OpenDescriptors();
            for (int i = 0; i < 100; i++)
            {
                most = Math.Max(most, OpenDescriptors());
            }

            Assert.InRange(pool.ThreadCount, workers + 1, int.MaxValue);
            Assert.InRange(most - before, int.MinValue, 16);
        }
    }

    private static int OpenDescriptors() => Directory.GetFiles("/proc/self/fd").Length;
}
