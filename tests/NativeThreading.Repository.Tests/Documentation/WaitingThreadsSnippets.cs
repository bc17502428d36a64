using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/troubleshooting.md, run. DocumentationTests compares the two.</summary>
public sealed class WaitingThreadsSnippets
{
    [Fact]
    public async Task CountsOfAPool()
    {
        using var began = new ManualResetEventSlim();
        using var gate = new ManualResetEventSlim();
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 1, MaxBlockedThreads = 0 });
        Task blocked = pool.Run(() =>
        {
            began.Set();
            using (NativeThreadPool.EnterBlockingRegion())
            {
                Deadline.Wait(gate);
            }
        });
        Deadline.Wait(began);
        Task waits = pool.Run(() => { });
        Deadline.Until(() => pool.BlockedThreadCount == 1);

        string line = Line(pool);
        gate.Set();

        Assert.Equal("reports: 1 threads, 1 blocked, 1 items wait", line);
        await Deadline.For(Task.WhenAll(blocked, waits));
    }

    [Fact]
    public async Task SyncOverAsync()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });

        int answer = await pool.Run(() => pool.Run(() => 42).GetAwaiter().GetResult());     // sync over async, on a pool's thread

        Assert.Equal(42, answer);
    }

    private static string Line(NativeThreadPool pool)
    {
        TextWriter before = Console.Out;
        using var written = new StringWriter();
        Console.SetOut(written);
        try
        {
            Console.WriteLine($"{pool.Name}: {pool.ThreadCount} threads, {pool.BlockedThreadCount} blocked, {pool.PendingWorkItemCount} items wait");
        }
        finally
        {
            Console.SetOut(before);
        }

        return written.ToString().TrimEnd();
    }
}
