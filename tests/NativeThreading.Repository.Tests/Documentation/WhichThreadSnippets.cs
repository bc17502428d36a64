using System.Diagnostics;
using System.Threading.Tasks.Sources;
using NativeThreading;
using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/reference/where-code-runs.md, run.</summary>
public sealed class WhichThreadSnippets
{
    private const string Runtime = "the built-in pool";

    [Fact]
    public async Task EachKindOfThread()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "jobs" });
        await using var loop = new EventLoop(new EventLoopOptions { Name = "io" });
        string own = "";
        var thread = new Thread(() => own = WhereAmI());
        thread.Start();
        Deadline.Join(thread);

        Assert.Equal("another thread", own);
        Assert.Equal("jobs", await Deadline.For(pool.Run(WhereAmI)));
        Assert.Equal("io", await Deadline.For(loop.InvokeAsync(WhereAmI)));
        Assert.Equal(Runtime, await Deadline.For(Task.Run(WhereAmI)));
    }

    [Fact]
    public async Task AnAsyncMethod()
    {
        await using var jobs = new NativeThreadPool(new NativeThreadPoolOptions { Name = "jobs" });
        var log = new List<string>();
        await Deadline.For(FollowAsync(jobs, new Source(), log));
        Assert.Equal(["jobs", "jobs", Runtime, Runtime, "jobs", "jobs"], log);
    }

    /// <summary>The rows of the page's table that no other test checks.</summary>
    [Fact]
    public async Task WhatLeavesAPool()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "jobs" });
        var source = new Source();
        string[] seen = await Deadline.For(pool.Run(async () => new[]
        {
            await Task.Run(WhereAmI),
            await Task.Factory.StartNew(WhereAmI, CancellationToken.None, TaskCreationOptions.None, pool.Scheduler),
            await pool.Run(WhereAmI),
        }));
        Assert.Equal([Runtime, "jobs", "jobs"], seen);

        var afterAnAwait = new TaskCompletionSource<string>();
        pool.QueueUserWorkItem(async _ =>
        {
            await source.ReadAsync();
            afterAnAwait.SetResult(WhereAmI());
        });
        Assert.Equal(Runtime, await Deadline.For(afterAnAwait.Task));
    }

    private static string WhereAmI() =>
        NativeThreadPool.Current?.Name                                              // a worker of a pool
        ?? EventLoop.Current?.Name                                                  // the thread of a loop
        ?? (Thread.CurrentThread.IsThreadPoolThread ? "the built-in pool" : "another thread");

    private static async Task FollowAsync(NativeThreadPool jobs, Source source, List<string> log)
    {
        await jobs.Run(async () =>
        {
            log.Add(WhereAmI());                                                        // jobs
            await source.ReadAsync();
            log.Add(WhereAmI());                                                        // jobs
            await source.ReadAsync().ConfigureAwait(false);
            log.Add(WhereAmI());                                                        // the built-in pool
            await source.ReadAsync();
            log.Add(WhereAmI());                                                        // the built-in pool
            await jobs.SwitchTo();
            log.Add(WhereAmI());                                                        // jobs
            await source.ReadAsync();
            log.Add(WhereAmI());                                                        // jobs
        });

        await jobs.SwitchTo();
        Debug.Assert(NativeThreadPool.Current == jobs, "Awaited with ConfigureAwait(false), or never switched?");
    }

    /// <summary>Completes on the built-in pool, and never before it is awaited.</summary>
    private sealed class Source : IValueTaskSource
    {
        private ManualResetValueTaskSourceCore<bool> _core;

        public ValueTask ReadAsync()
        {
            _core.Reset();
            return new ValueTask(this, _core.Version);
        }

        public void GetResult(short token) => _core.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        {
            _core.OnCompleted(continuation, state, token, flags);
            ThreadPool.UnsafeQueueUserWorkItem(static source => source._core.SetResult(true), this, preferLocal: false);
        }
    }
}
