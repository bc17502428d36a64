using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The pool's code of README.md, run. DocumentationTests compares the two.</summary>
public sealed class ReadmeSnippets
{
    [Fact]
    public async Task Pool()
    {
        using var order = new Order();
        int[][] chunks = [[3, 1, 2], [6, 5, 4]];
        static async Task<int> RenderAsync(Order order)
        {
            await Task.Yield();
            return NativeThreadPool.Current?.Name == "reports" ? order.Pages : 0;
        }

        await using var reports = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 4 });

        reports.QueueUserWorkItem(static order => order.Print(), order, preferLocal: false);  // allocates nothing
        int pages = await reports.Run(async () => await RenderAsync(order));                   // awaits resume on the pool
        await reports.SwitchTo();                                                              // the rest runs on the pool

        var group = new WorkGroup(reports);                                                    // fork and join
        group.QueueRange(static chunk => chunk.Sort(), chunks);
        group.Wait();

        Assert.Equal((7, "reports"), (pages, NativeThreadPool.Current?.Name));
        Assert.Equal([1, 2, 3, 4, 5, 6], chunks.SelectMany(chunk => chunk));
        Deadline.Wait(order.WasPrinted);
    }

    private sealed class Order : IDisposable
    {
        public int Pages => 7;

        public ManualResetEventSlim WasPrinted { get; } = new();

        public void Print() => WasPrinted.Set();

        public void Dispose() => WasPrinted.Dispose();
    }
}

file static class ArrayExtensions
{
    public static void Sort(this int[] array) => Array.Sort(array);
}
