using NativeThreading;
using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of the README of NativeThreading and of NativeThreading.EventLoops, run. DocumentationTests compares the two.</summary>
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

    [Fact]
    public async Task Loops()
    {
        await using var sessions = new EventLoop(new EventLoopOptions { Name = "sessions" });
        await using var reports = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 4 });

        sessions.Post(static state => Console.WriteLine($"{state} on {EventLoop.Current}"), "a callback");
        int answer = await sessions.InvokeAsync(async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), sessions.TimeProvider);   // resumes on the loop
            return await sessions.OffloadAsync(reports, static () => 6 * 7);         // blocks a thread of the pool, not the loop
        });

        Assert.Equal(42, answer);
    }

    private sealed record Order(ManualResetEventSlim Printed)
    {
        public int Pages => 7;

        public void Print() => Printed.Set();
    }
}
