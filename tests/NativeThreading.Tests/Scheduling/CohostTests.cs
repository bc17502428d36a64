using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>T107: a busy pool next to the busy built-in pool, and next to a second pool of this library.</summary>
[Trait("Category", "Soak")]
public sealed class CohostTests : SoakTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void T107_TwoBusyPools_BothGetOn(bool runtimes)
    {
        // Both keep every processor busy; each must end a number of items while the other one does the same.
        NativeThreadPool ours = NewPool(Environment.ProcessorCount);
        NativeThreadPool second = NewPool(Environment.ProcessorCount);
        long one = 0, two = 0;
        bool stop = false;
        using var left = new CountdownEvent(8);
        for (int i = 0; i < 4; i++)
        {
            Keep(work => ours.UnsafeQueueUserWorkItem(work, null), () => Interlocked.Increment(ref one));
            Keep(
                work => _ = runtimes ? ThreadPool.UnsafeQueueUserWorkItem(work, null) : second.UnsafeQueueUserWorkItem(work, null),
                () => Interlocked.Increment(ref two));
        }

        Deadline.Until(() => Volatile.Read(ref one) + Volatile.Read(ref two) > 4_000);
        (long first, long other) = (Volatile.Read(ref one), Volatile.Read(ref two));
        Volatile.Write(ref stop, true);
        Deadline.Wait(left);

        // Half each is fair; a tenth is what a machine under load may do to either.
        Assert.True(Math.Min(first, other) > (first + other) / 10, $"{first} and {other} items");

        void Keep(Action<WaitCallback> queue, Action count)
        {
            queue(Work);

            void Work(object? state)
            {
                Spin(System.Diagnostics.Stopwatch.Frequency / 5_000); // 200 us
                count();
                if (Volatile.Read(ref stop))
                {
                    left.Signal();
                }
                else
                {
                    queue(Work);
                }
            }
        }
    }
}
