using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/explanation/choosing-pool-loop-or-group.md and docs/guides/for-library-authors.md, run.</summary>
public sealed class ManualPagesSnippets
{
    private int _worked;

    [Fact]
    public void LifoSemaphore()
    {
        using var ready = new LifoSemaphore();
        var worker = new Thread(() =>
        {
            ready.Wait();                               // sleeps in a single system call
            Work();
        });
        worker.Start();
        ready.Release();                                // wakes the thread that came last

        Deadline.Join(worker);
        Assert.Equal(1, _worked);
    }

    [Fact]
    public async Task LibraryThatTakesAScheduler()
    {
        await using var pool = new NativeThreadPool();
        Assert.Equal(2, await Deadline.For(new Indexer(pool).IndexAsync("two words")));
    }

    [Fact]
    public async Task LibraryThatBlocks()
    {
        await using var pool = new NativeThreadPool();
        var device = new Device();
        await Deadline.For(pool.Run(() => Block(device)));
        Assert.Equal(1, device.Answers);
    }

    private static void Block(Device device)
    {
        using (NativeThreadPool.EnterBlockingRegion())
        {
            device.WaitForAnswer();
        }
    }

    private void Work() => _worked++;

    public sealed class Indexer(IWorkScheduler scheduler)
    {
        public Task<int> IndexAsync(string text) => scheduler.Run(async () =>
        {
            await Task.Yield();                         // resumes on the user's pool
            return text.Split(' ').Length;
        });
    }

    private sealed class Device
    {
        public int Answers { get; private set; }

        public void WaitForAnswer() => Answers++;
    }
}
