namespace NativeThreading.Testing.Tests;

/// <summary>A test steps through the items of keys one by one, so it sees exactly which item has the next turn.</summary>
public sealed class ManualKeyedStepTests
{
    [Fact]
    public void Keys_TakeTurns_AsManyItemsAsTheyWeigh()
    {
        var pool = new ManualThreadPool();
        var queue = new KeyedQueue<string>(pool, weightOf: static key => key == "heavy" ? 2 : 1);
        var log = new List<string>();
        foreach (string key in new[] { "heavy", "light" })
        {
            for (int i = 0; i < 4; i++)
            {
                queue.Queue(key, log.Add, $"{key} {i}");
            }
        }

        Assert.True(pool.RunOne());
        Assert.Equal(["heavy 0", "heavy 1"], log);
        Assert.True(pool.RunOne());
        Assert.Equal(["heavy 0", "heavy 1", "light 0"], log);
        pool.RunAll();
        Assert.Equal(["heavy 0", "heavy 1", "light 0", "heavy 2", "heavy 3", "light 1", "light 2", "light 3"], log);
    }

    [Fact]
    public void CallbackThatThrows_LeavesTheCallThatRunsIt_AndTheNextItemRuns()
    {
        var pool = new ManualThreadPool();
        var queue = new KeyedQueue<string>(pool);
        var log = new List<string>();
        queue.Queue("a", static _ => throw new FormatException(), 0);
        queue.Queue("a", log.Add, "next");
        Assert.Throws<FormatException>(() => pool.RunAll());
        pool.RunAll();
        Assert.Equal(["next"], log);
        Assert.Equal(0, queue.KeyCount);
    }

    [Fact]
    public void KeyThatMayRunTwoItemsAtOnce_StartsTheThirdWhenOneHasCompleted()
    {
        var pool = new ManualThreadPool();
        var queue = new KeyedQueue<string>(pool, maxConcurrencyPerKey: 2);
        var log = new List<string>();
        var gates = new TaskCompletionSource[3];
        var tasks = new Task[3];
        for (int i = 0; i < 3; i++)
        {
            gates[i] = new TaskCompletionSource();
            int number = i;
            tasks[i] = queue.Run(
                "a",
                async () =>
                {
                    log.Add($"{number} starts");
                    await gates[number].Task;
                    log.Add($"{number} completes");
                },
                CancellationToken.None);
        }

        pool.RunAll();
        Assert.Equal(["0 starts", "1 starts"], log);
        Task<long> stopped = pool.ShutdownAsync(CancellationToken.None);
        gates[1].SetResult();
        pool.RunAll();
        Assert.Equal(["0 starts", "1 starts", "1 completes", "2 starts"], log);
        gates[2].SetResult();
        pool.RunAll();
        Assert.False(stopped.IsCompleted);
        gates[0].SetResult();
        pool.RunAll();
        Assert.All(tasks, static task => Assert.True(task.IsCompletedSuccessfully));
        Assert.Equal((0, 0L), (queue.KeyCount, pool.RanElsewhereCount));
        Assert.True(stopped.IsCompletedSuccessfully);
    }
}
