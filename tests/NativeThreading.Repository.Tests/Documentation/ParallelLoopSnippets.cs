using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/parallel-loops.md, run.</summary>
public sealed class ParallelLoopSnippets
{
    private int _calls;

    [Fact]
    public async Task Loops_CallTheBodyForEachItem()
    {
        await using var pool = new NativeThreadPool();
        Work[] images = [.. Enumerable.Range(0, 100).Select(_ => new Work())];
        List<Work> orders = [.. images];
        string[] urls = ["a", "b", "c"];
        CancellationToken stop = CancellationToken.None;

        pool.For(0, images.Length, i => images[i].Resize());
        pool.ForEach(orders, order => order.Validate());
        pool.Invoke(LoadPrices, LoadCustomers);
        await pool.ForEachAsync(urls, maxConcurrency: 8, async (url, token) => await DownloadAsync(url, token), stop);

        Assert.All(images, static image => Assert.Equal((1, 1), (image.Resized, image.Validated)));
        Assert.Equal(5, _calls);
    }

    [Fact]
    public async Task Group_ReturnsResults()
    {
        await using var pool = new NativeThreadPool();
        string[] files = [typeof(NativeThreadPool).Assembly.Location, typeof(ParallelLoopSnippets).Assembly.Location];
        CancellationToken stop = CancellationToken.None;

        var sizes = new WorkGroup<long>(pool, WorkGroupErrors.First, stop);
        foreach (string file in files)
        {
            sizes.Queue(static file => new FileInfo(file).Length, file);
        }

        long[] all = await sizes.WaitAsync();

        Assert.Equal(files.Select(static file => new FileInfo(file).Length), all);
    }

    private void LoadPrices() => Interlocked.Increment(ref _calls);

    private void LoadCustomers() => Interlocked.Increment(ref _calls);

    private async ValueTask DownloadAsync(string url, CancellationToken token)
    {
        await Task.Yield();
        token.ThrowIfCancellationRequested();
        Assert.Equal(1, url.Length);
        Interlocked.Increment(ref _calls);
    }

    private sealed class Work
    {
        public int Resized { get; private set; }

        public int Validated { get; private set; }

        public void Resize() => Resized++;

        public void Validate() => Validated++;
    }
}
