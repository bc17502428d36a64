using System.Runtime.CompilerServices;
using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/bound-a-queue.md, run with more images than there is room for.</summary>
public sealed class BoundedQueueSnippets : IDisposable
{
    private const int Room = 4 + 100;   // running and waiting items

    private readonly ManualResetEventSlim _shutter = new();
    private int _taken, _shrunk, _uploading, _mostUploading, _elsewhere;

    [Fact]
    public async Task ProducerWaitsOrLeavesOut()
    {
        await using var thumbnails = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "thumbnails",
            MaxThreads = 4,
            MaxBlockedThreads = 0,                      // never more than four running images
            QueueLimit = 100,                           // 4 threads, 20 ms for each image, half a second of waiting
            QueueFullMode = QueueFullMode.Wait,
        });

        Task producer = ProduceAsync(thumbnails, Images(3 * Room), CancellationToken.None);
        try
        {
            // One more than there is room for has been taken from the source, and no further one.
            Deadline.Until(() => Volatile.Read(ref _taken) == Room + 1);
            Assert.InRange(thumbnails.PendingWorkItemCount, 1, 100);
            Assert.Equal(1, LeaveOut(thumbnails, new Image(this)));
            Assert.Equal((false, Room + 1, 0), (producer.IsCompleted, Volatile.Read(ref _taken), Volatile.Read(ref _shrunk)));
        }
        finally
        {
            _shutter.Set(); // the pool's end waits for the images
        }

        await Deadline.For(producer);
        await Deadline.For(thumbnails.ShutdownAsync(CancellationToken.None));
        Assert.Equal(3 * Room, _shrunk);
    }

    [Fact]
    public async Task ItemsThatAwait()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "thumbnails", MaxThreads = 2 });
        await Deadline.For(UploadAsync(pool, Images(100), CancellationToken.None));
        Assert.InRange(_mostUploading, 1, 10);
        Assert.Equal(0, _elsewhere);
    }

    public void Dispose() => _shutter.Dispose();

    private static async Task ProduceAsync(NativeThreadPool thumbnails, IAsyncEnumerable<Image> images, CancellationToken stop)
    {
        await foreach (Image image in images.WithCancellation(stop))
        {
            await thumbnails.QueueAsync(static image => image.Shrink(), image, stop);     // continues when there is room
        }
    }

    private static int LeaveOut(NativeThreadPool thumbnails, Image image)
    {
        int dropped = 0;
        if (!thumbnails.TryQueueUserWorkItem(static image => image.Shrink(), image, preferLocal: false))
        {
            dropped++;                                  // the next frame is newer anyway
        }

        return dropped;
    }

    private static async Task UploadAsync(NativeThreadPool thumbnails, IAsyncEnumerable<Image> images, CancellationToken stop)
    {
        var tenAtOnce = new ParallelOptions { MaxDegreeOfParallelism = 10, TaskScheduler = thumbnails.Scheduler, CancellationToken = stop };
        await Parallel.ForEachAsync(images, tenAtOnce, static async (image, stop) => await image.UploadAsync(stop));
    }

    private async IAsyncEnumerable<Image> Images(int count, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            cancellationToken.ThrowIfCancellationRequested();
            Interlocked.Increment(ref _taken);
            yield return new Image(this);
        }
    }

    private sealed class Image(BoundedQueueSnippets camera)
    {
        public void Shrink()
        {
            Deadline.Wait(camera._shutter);
            Interlocked.Increment(ref camera._shrunk);
        }

        public async Task UploadAsync(CancellationToken cancellationToken)
        {
            int uploading = Interlocked.Increment(ref camera._uploading);
            for (int most = camera._mostUploading; uploading > most; most = camera._mostUploading)
            {
                Interlocked.CompareExchange(ref camera._mostUploading, uploading, most);
            }

            await Task.Delay(1, cancellationToken);
            Interlocked.Add(ref camera._elsewhere, NativeThreadPool.Current?.Name == "thumbnails" ? 0 : 1);
            Interlocked.Decrement(ref camera._uploading);
        }
    }
}
