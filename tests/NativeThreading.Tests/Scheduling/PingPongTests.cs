using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// T1, T48: every item is queued only after the one before has run, after a pause near the time that an idle worker
/// scans and lingers, so that the queueing meets each step of its way to the park.
/// </summary>
[Trait("Category", "Soak")]
public sealed class PingPongTests : SoakTest
{
    private readonly Random _random = new(1);
    private long _ran;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public void T1_FromOutside_NoItemIsStranded(int threads)
    {
        NativeThreadPool pool = NewFullPool(threads);
        long period = Period(pool);
        long expected = 0;
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            // Up to a few scans, or up to a few times the time for which a worker lingers.
            Spin(_random.NextInt64(_random.Next(4) != 0 ? period / 10 : 3 * period));
            QueueOne(pool, ref expected);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void T48_PauseIsTheLingerTimeGiveOrTakeAMicrosecond_NoItemIsStranded(int threads)
    {
        NativeThreadPool pool = NewFullPool(threads, options => options.LingerTime = TimeSpan.FromMicroseconds(20));
        long period = 20 * Stopwatch.Frequency / 1_000_000, microsecond = Stopwatch.Frequency / 1_000_000;
        long expected = 0;
        for (Budget budget = Budget.Of(500); budget.HasTime;)
        {
            Spin(period + _random.NextInt64(-microsecond, microsecond));
            QueueOne(pool, ref expected);
        }
    }

    [Fact]
    public void T131_FromThreadsOfDifferentShards_NoItemIsStranded()
    {
        NativeThreadPool pool = NewFullPool(2);
        long period = Period(pool);
        Budget budget = Budget.Of(500);
        StartGate.Run(2 * Environment.ProcessorCount, producer =>
        {
            var random = new Random(producer);
            while (budget.HasTime)
            {
                var ran = new StrongBoxOfBool();
                Spin(random.NextInt64(2 * period));
                long started = Stopwatch.GetTimestamp();
                pool.UnsafeQueueUserWorkItem(static box => box.Value = true, ran, preferLocal: false);
                AssertSoon(() => Volatile.Read(ref ran.Value), started);
            }
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void T1_BetweenTwoPools_NoItemIsStranded(int threads)
    {
        NativeThreadPool ping = NewFullPool(threads), pong = NewFullPool(threads);
        using var over = new ManualResetEventSlim();
        long period = Period(ping), sent = Stopwatch.GetTimestamp();
        TimeSpan worst = TimeSpan.Zero;
        Budget budget = Budget.Of(500);
        void Bounce(NativeThreadPool other)
        {
            TimeSpan taken = Stopwatch.GetElapsedTime(sent);
            worst = taken > worst ? taken : worst;
            _ran++;
            if (budget.IsOver)
            {
                over.Set();
                return;
            }

            Spin(_random.NextInt64(2 * period));
            sent = Stopwatch.GetTimestamp();
            other.UnsafeQueueUserWorkItem(Bounce, other == ping ? pong : ping, preferLocal: false);
        }

        ping.UnsafeQueueUserWorkItem(Bounce, pong, preferLocal: false);
        Deadline.Wait(over);
        Assert.True(worst < 0.9 * PoolProbe.RequestExpiry, $"The slowest of {_ran} hops took {worst.TotalMilliseconds} ms: it was stranded.");
    }

    private static long Period(NativeThreadPool pool) => Math.Max(pool.Probe.LingerTicks, Stopwatch.Frequency / 50_000);

    private void QueueOne(NativeThreadPool pool, ref long expected)
    {
        long wanted = ++expected;
        long started = Stopwatch.GetTimestamp();
        pool.UnsafeQueueUserWorkItem(static test => Interlocked.Increment(ref test._ran), this, preferLocal: false);
        AssertSoon(() => Volatile.Read(ref _ran) == wanted, started);
    }

    private sealed class StrongBoxOfBool
    {
        public bool Value;
    }
}
