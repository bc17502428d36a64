using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of src/NativeThreading/README.md, run. DocumentationTests compares the two.</summary>
public sealed class PackageReadmeSnippets
{
    [Fact]
    public async Task Core()
    {
        using var printed = new ManualResetEventSlim();
        var order = new Order(printed);
        static async Task<int> RenderAsync(Order order)
        {
            await Task.Yield();
            return order.Pages;
        }

        await using var reports = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 4 });

        reports.QueueUserWorkItem(static order => order.Print(), order, preferLocal: false);
        int pages = await reports.Run(async () => await RenderAsync(order));

        Assert.Equal(7, pages);
        Deadline.Wait(printed);
    }

    private sealed record Order(ManualResetEventSlim Printed)
    {
        public int Pages => 7;

        public void Print() => Printed.Set();
    }
}
