using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/work-options.md.</summary>
public sealed class WorkOptionsSnippets
{
    [Fact]
    public async Task OptionsOfWork()
    {
        await using var pool = new NativeThreadPool();
        CancellationToken token = CancellationToken.None;
        string page = "page", index = "index";

        Task<byte[]> image = pool.Run(() => Render(page), new WorkOptions
        {
            Name = "render",                          // the live page, logs and traces show it
            Priority = WorkPriority.High,             // before Normal, which is before Low
            StartWithin = TimeSpan.FromSeconds(2),    // else the task is cancelled
            CancellationToken = token,
        });

        Assert.Equal(4, (await Deadline.For(image)).Length);

        IWorkScheduler background = pool.WithOptions(new WorkOptions { Name = "compaction", Priority = WorkPriority.Low });
        await background.Run(() => Compact(index), token);
    }

    [Fact]
    public async Task BoundOnOperations()
    {
        CancellationToken token = CancellationToken.None;
        Image[] images = [.. Enumerable.Range(0, 25).Select(static _ => new Image())];

        await using var uploads = new NativeThreadPool(new NativeThreadPoolOptions { Name = "uploads", MaxConcurrentOperations = 10 });
        Task[] all = [.. images.Select(image => uploads.Run(() => image.UploadAsync(token)))];      // ten at once, in order, the others wait without threads

        await Deadline.For(Task.WhenAll(all));
        Assert.InRange(Image.Most, 1, 10);
    }

    [Fact]
    public async Task PauseAndResume()
    {
        await using var pool = new NativeThreadPool();
        CancellationToken token = CancellationToken.None;
        var store = new Store();

        pool.Pause();                       // running work continues, new work waits
        await store.SwitchToReplicaAsync();
        pool.Resume();

        pool.Resize(maxThreads: 8, maxBlockedThreads: 100);

        await pool.WaitForIdleAsync(token); // nothing waits, nothing runs, no operation is open

        Assert.Equal(8, pool.MaxThreads);
    }

    private static byte[] Render(string page) => System.Text.Encoding.UTF8.GetBytes(page);

    private static void Compact(string index) => Assert.NotEmpty(index);

    private sealed class Image
    {
        private static int s_uploading;

        public static int Most { get; private set; }

        public async Task UploadAsync(CancellationToken token)
        {
            Most = Math.Max(Most, Interlocked.Increment(ref s_uploading));
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            Interlocked.Decrement(ref s_uploading);
        }
    }

    private sealed class Store
    {
        public Task SwitchToReplicaAsync() => Task.CompletedTask;
    }
}
