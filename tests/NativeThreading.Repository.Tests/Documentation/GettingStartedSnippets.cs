using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/start/getting-started.md, run. DocumentationTests compares the two.</summary>
[SuppressMessage("Performance", "CA1822", Justification = "The documentation's names.")]
public sealed class GettingStartedSnippets
{
    [Fact]
    public async Task PoolFromItsFirstItemToItsEnd()
    {
        using var compressed = new CountdownEvent(4);
        var file = new Part(compressed);
        Part[] parts = [file, file, file];

        await using var reports = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "reports",       // the prefix of its threads' names, the tag of its metrics
            MaxThreads = 2,         // threads that run at once; the number of processors by default
        });

        reports.QueueUserWorkItem(static file => file.Compress(), file, preferLocal: false);

        int pages = await reports.Run(() => CountPages(file));

        string title = await reports.Run(async () =>
        {
            string text = await ReadAsync(file);                        // resumes on the pool
            Debug.Assert(NativeThreadPool.Current == reports);
            return text.Split('\n')[0];
        });

        async Task<int> ArchiveAsync()
        {
            await reports.SwitchTo();
            await Task.Yield();
            return NativeThreadPool.Current == reports ? 1 : 0;
        }

        var group = new WorkGroup(reports);
        group.QueueRange(static part => part.Compress(), parts);
        group.Wait();                                                   // a pool thread that waits here helps

        int rows = await reports.Run(() =>
        {
            using (NativeThreadPool.EnterBlockingRegion())
            {
                return OldDriver.Query();
            }
        });

        Assert.Equal((3, "title", 1, 5), (pages, title, await ArchiveAsync(), rows));
        Deadline.Wait(compressed);

        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(10));
        long dropped = await reports.ShutdownAsync(patience.Token);

        Assert.Equal(0, dropped);
    }

    private static int CountPages(Part part) => part.Pages;

    private static async Task<string> ReadAsync(Part part)
    {
        await Task.Yield();
        return $"title\n{part.Pages}";
    }

    private sealed class Part(CountdownEvent compressed)
    {
        public int Pages => 3;

        public void Compress() => compressed.Signal();
    }

    private static class OldDriver
    {
        public static int Query() => 5;
    }
}
