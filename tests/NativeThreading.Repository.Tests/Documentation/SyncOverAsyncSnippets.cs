using NativeThreading;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/sync-over-async.md, run: more calls wait than may run, and under a context that never runs anything.</summary>
public sealed class SyncOverAsyncSnippets
{
    [Fact]
    public async Task LibraryOfSomebodyElse_OnAPoolOfItsOwn()
    {
        string[] names = [.. Enumerable.Range(1, 40).Select(length => new string('x', length))];
        var library = new OldLibrary();

        await using var legacy = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "legacy",
            MaxThreads = 2,                 // threads that compute at once
            MaxBlockedThreads = 100,        // threads that wait at once; further calls wait in the queue
        });

        int[] counts = await legacy.WhenAll(names.Select(name => legacy.Run(() => library.Count(name))));

        Assert.Equal(Enumerable.Range(1, 40), counts);
        Assert.Equal("legacy", Assert.Single(library.ResumedOn));
    }

    [Fact]
    public async Task LibraryOfYours_UnderAContextThatIsBlocked()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var catalogue = new Catalogue(pool);
        int count = 0;
        var user = new Thread(() =>
        {
            SynchronizationContext.SetSynchronizationContext(new NeverRuns());
            count = catalogue.Count("four");
        })
        {
            IsBackground = true,
        };
        user.Start();
        Deadline.Join(user);
        Assert.Equal(4, count);
    }

    [Fact]
    public async Task LibraryOfYours_OnThePoolItself()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1 });
        var catalogue = new Catalogue(pool);
        int[] counts = await Deadline.For(pool.WhenAll(Enumerable.Range(0, 20).Select(_ => pool.Run(() => catalogue.Count("four")))));
        Assert.All(counts, count => Assert.Equal(4, count));
    }

    public interface ICatalogue
    {
        int Count(string name);
    }

    public sealed class Catalogue(IWorkScheduler scheduler) : ICatalogue
    {
        public int Count(string name) => scheduler.Run(() => CountAsync(name)).GetAwaiter().GetResult();

        public async Task<int> CountAsync(string name)
        {
            await Task.Yield();                         // the driver's asynchronous calls
            return name.Length;
        }
    }

    /// <summary>Waits for a task whose rest needs another thread of the pool.</summary>
    private sealed class OldLibrary
    {
        private readonly HashSet<string?> _resumedOn = [];

        public string?[] ResumedOn => [.. _resumedOn];

        public int Count(string name) => CountAsync(name).GetAwaiter().GetResult();

        private async Task<int> CountAsync(string name)
        {
            await Task.Yield();
            lock (_resumedOn)
            {
                _resumedOn.Add(NativeThreadPool.Current?.Name);
            }

            return name.Length;
        }
    }

    /// <summary>That of a user interface whose one thread is waiting.</summary>
    private sealed class NeverRuns : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
