using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Workers;

/// <summary>One processor, a share of one, one that comes and goes, and far more workers than there are.</summary>
[Trait("Category", "Fault")]
public sealed class FewProcessorsTests
{
    [Fact]
    public Task OneProcessor_EverythingHappens_AndNobodyIsMisjudged() => AssertSucceedsAsync(OneProcessor);

    [Fact]
    public Task HalfAProcessor_SharedWithABusyLoop_NobodyIsMisjudged() => AssertSucceedsAsync(HalfAProcessor);

    [Fact]
    public Task StoppedForHalfOfTheTime_NobodyIsMisjudged() => AssertSucceedsAsync(StoppedByTurns);

    [Fact]
    public void TwoHundredAndFiftySixWorkers_ShareTheWork_AndComeToRest()
    {
        const int workers = 256, items = 50_000;
        using NativeThreadPool pool = Pools.WithThreads(workers);
        var times = new int[items];
        for (int round = 0; round < 3; round++)
        {
            new BlockedWorkers(pool, workers).Dispose();
            using var left = new CountdownEvent(items);
            Parallel.For(0, 4, producer =>
            {
                for (int i = producer; i < items; i += 4)
                {
                    int item = i;
                    pool.UnsafeQueueUserWorkItem(
                        _ =>
                        {
                            Interlocked.Increment(ref times[item]);
                            left.Signal();
                        },
                        null);
                }
            });
            Deadline.Wait(left);
            Deadline.Until(() => pool.Probe.IsQuiet && pool.ThreadCount == workers);
        }

        Assert.All(times, static count => Assert.Equal(3, count));
        Assert.Equal(0, pool.Probe.Repairs);
    }

    private static async Task AssertSucceedsAsync(Func<int> main)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(main);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int OneProcessor()
    {
        Pin(Environment.ProcessId);
        return NobodyIsMisjudged();
    }

    private static int HalfAProcessor()
    {
        using Process busy = Process.Start("sh", ["-c", "while :; do :; done"]);
        try
        {
            Pin(busy.Id);
            Pin(Environment.ProcessId);
            return NobodyIsMisjudged();
        }
        finally
        {
            busy.Kill();
        }
    }

    /// <summary>As a cgroup's quota does: 50 ms of nothing after each 50 ms.</summary>
    private static int StoppedByTurns()
    {
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        using Process throttle = Process.Start(
            "sh", ["-c", $"while kill -STOP {id} && sleep 0.05 && kill -CONT {id}; do sleep 0.05; done; kill -CONT {id}"]);
        try
        {
            return NobodyIsMisjudged();
        }
        finally
        {
            throttle.Kill();
            Process.Start("kill", ["-CONT", id]).WaitForExit(Deadline.Time); // not needed unless it was killed in between
        }
    }

    /// <summary>Workers that compute are never replaced, though others wait; what happens happens once; no request counts as lost.</summary>
    private static int NobodyIsMisjudged()
    {
        using var log = new EventLog();
        bool isMisjudged;
        long waits;
        int attempts = 0;
        do
        {
            isMisjudged = IsOneThatComputesReplaced(out waits);
        }
        while (isMisjudged && waits != 0 && ++attempts < 5);

        Assert.False(isMisjudged, $"a worker was replaced, in attempt {attempts}, whose workers waited {waits} times");
        for (int i = 0; i < 5; i++)
        {
            Mixture.Round();
            Mixture.BlockAndHeal();
        }

        Assert.Empty(log.Of("LostRequestRepaired"));
        return 0;
    }

    private static bool IsOneThatComputesReplaced(out long waits)
    {
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "computing", MaxThreads = 2 });
        using var stop = new ManualResetEventSlim();
        using var left = new CountdownEvent(52);
        long counted = 0;
        for (int i = 0; i < 2; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Interlocked.Add(ref counted, Computing.Until(stop));
                    left.Signal();
                },
                null);
        }

        Deadline.Until(() => pool.ThreadCount == 2 && pool.PendingWorkItemCount == 0);
        for (int i = 0; i < 50; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => left.Signal(), null);
        }

        // More than a second: as long as it takes for a request to count as lost.
        bool isReplaced = false;
        for (Stopwatch running = Stopwatch.StartNew(); running.Elapsed < TimeSpan.FromSeconds(1.5);)
        {
            Thread.Sleep(10);
            isReplaced |= (pool.ThreadCount, pool.PendingWorkItemCount) != (2, 50);
        }

        stop.Set();
        Deadline.Wait(left);
        waits = counted;
        return isReplaced;
    }

    /// <summary>To the first processor that this process may use: all threads of a process, those that exist and those to come.</summary>
    private static void Pin(int process)
    {
        string allowed = File.ReadLines("/proc/self/status").Single(line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal));
        string first = allowed.Split([':', ',', '-'])[1].Trim();
        CommandLine.Result result = CommandLine.RunAsync(
            "taskset", ["-a", "-c", "-p", first, process.ToString(CultureInfo.InvariantCulture)], ".", Deadline.Time).GetAwaiter().GetResult();
        Assert.True(result.ExitCode == 0, result.Output);
    }
}
