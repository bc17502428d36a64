using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Posting;

/// <summary>Callbacks of one thread run in the order in which it posted them, one at a time, on one thread.</summary>
public sealed class PostingOrderTests : IDisposable
{
    private const int Threads = 4;
    private const int PerThread = 20_000;

    private readonly EventLoop _loop = new();

    public void Dispose() => _loop.Dispose();

    [Fact]
    public void CallbacksOfEachThread_RunInItsOrder()
    {
        var ran = new List<(int Thread, int Number)>(Threads * PerThread);
        StartGate.Run(Threads, thread =>
        {
            for (int i = 0; i < PerThread; i++)
            {
                (int, int) item = (thread, i);
                if (i % 2 == 0)
                {
                    _loop.Post(_ => ran.Add(item), null);
                }
                else
                {
                    _loop.UnsafePost(_ => ran.Add(item), null);
                }
            }
        });
        _loop.Call(() => { });

        Assert.Equal(Threads * PerThread, ran.Count);
        for (int thread = 0; thread < Threads; thread++)
        {
            Assert.Equal(Enumerable.Range(0, PerThread), ran.Where(item => item.Thread == thread).Select(item => item.Number));
        }
    }

    [Fact]
    public void EveryWayToPost_KeepsTheOrderOfItsThread()
    {
        var ran = new List<string>();
        using (new OccupiedLoop(_loop))
        {
            _loop.Post(_ => ran.Add("post"), null);
            _loop.SynchronizationContext.Post(_ => ran.Add("context"), null);
            _ = _loop.InvokeAsync(() => ran.Add("operation"));
            Task.Factory.StartNew(() => ran.Add("task"), CancellationToken.None, TaskCreationOptions.None, _loop.Scheduler);
            _loop.UnsafePost(_ => ran.Add("unsafe post"), null);
        }

        _loop.Call(() => { });
        Assert.Equal(["post", "context", "operation", "task", "unsafe post"], ran);
    }

    [Fact]
    public void CallbackPostedByACallback_RunsAfterItAndBehindWhatWasPostedBefore()
    {
        var ran = new List<string>();
        using (new OccupiedLoop(_loop))
        {
            _loop.UnsafePost(
                _ =>
                {
                    _loop.UnsafePost(_ => ran.Add("posted by the first"), null);
                    ran.Add("first");
                },
                null);
            _loop.UnsafePost(_ => ran.Add("second"), null);
        }

        _loop.Call(() => { }); // may stand before what the first posts
        _loop.Call(() => { });
        Assert.Equal(["first", "second", "posted by the first"], ran);
    }

    [Fact]
    public void AllRunOnOneThread()
    {
        var threads = new HashSet<int>();
        StartGate.Run(Threads, _ =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                _loop.UnsafePost(_ => threads.Add(Environment.CurrentManagedThreadId), null);
            }
        });
        int own = _loop.Call(() => Environment.CurrentManagedThreadId);
        Assert.Equal([own], threads);
    }
}
