using System.Runtime.CompilerServices;
using NativeThreading.Tests.Limits;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// Threads with little stack (T136): the framework runs a task in place only while enough of it is left, and what should run
/// in place must not be queued and waited for instead.
/// </summary>
public sealed class SmallStackTests
{
    private const int Least = 256 * 1024;

    public static TheoryData<string> Synchronous => EntryCall.Synchronous;

    public static TheoryData<string> Asynchronous => EntryCall.Asynchronous;

    [Theory]
    [MemberData(nameof(Synchronous))]
    public void T136_EveryEntry_WorksOnTheLeastStack(string call)
    {
        foreach (QueueFullMode? mode in new QueueFullMode?[] { null, QueueFullMode.Reject, QueueFullMode.Wait, QueueFullMode.RunOnCaller })
        {
            using NativeThreadPool pool = Pool(mode);
            using var ran = new CountdownEvent(10);
            using var told = new Observation<bool>(() =>
            {
                for (int i = 0; i < 5; i++)
                {
                    pool.Queue(call, Item); // from its own worker
                }

                return true;
            });
            pool.QueueUserWorkItem(told.Observe);
            Assert.True(told.Result);
            for (int i = 0; i < 5; i++)
            {
                pool.Queue(call, Item);
            }

            Deadline.Wait(ran);

            void Item()
            {
                UseStack();
                ran.Signal();
            }
        }
    }

    [Theory]
    [MemberData(nameof(Asynchronous))]
    public void T136_EveryAsynchronousEntry_WorksOnTheLeastStack_ThroughTheLineToo(string call)
    {
        foreach (QueueFullMode? mode in new QueueFullMode?[] { null, QueueFullMode.Reject, QueueFullMode.Wait, QueueFullMode.RunOnCaller })
        {
            using NativeThreadPool pool = Pool(mode);
            using var ran = new CountdownEvent(5);
            for (int i = 0; i < 5; i++)
            {
                Deadline.Wait(pool.QueueAsync(call, Item));
            }

            Deadline.Wait(ran);

            void Item()
            {
                UseStack();
                ran.Signal();
            }
        }

        using NativeThreadPool full = Pool(QueueFullMode.Wait, limit: 1);
        using var all = new CountdownEvent(20);
        using (new BlockedWorkers(full, 1))
        {
            full.Fill();
            for (int i = 0; i < 20; i++)
            {
                _ = full.QueueAsync(call, () =>
                {
                    UseStack();
                    all.Signal();
                });
            }
        }

        Deadline.Wait(all);
    }

    [Fact]
    public async Task T136_Tasks_AwaitsAndThreadsOfTheirOwn_WorkOnTheLeastStack()
    {
        using NativeThreadPool pool = Pool();
        await Deadline.For(pool.Factory.StartNew(UseStack));
        await Deadline.For(pool.Factory.StartNew(UseStack, TaskCreationOptions.LongRunning));
        await Deadline.For(Task.CompletedTask.ContinueWith(_ => UseStack(), pool.Scheduler));
        await Deadline.For(SwitchedAsync());
        await Deadline.For(pool.Run(StepsAsync));
        await Deadline.For(pool.Run(StepsAsync, new CancellationTokenSource().Token));
        await Deadline.For(pool.RunAsync(StepsAsync));
        await Deadline.For(pool.Factory.StartNew(StepsAsync, TaskCreationOptions.LongRunning).Unwrap());
        await Deadline.For(pool.Run(() => Parallel.For(0, 100, new ParallelOptions { TaskScheduler = pool.Scheduler }, _ => UseStack())));
        await Assert.ThrowsAsync<FormatException>(() => Deadline.For(pool.Run(async Task () =>
        {
            await Task.Yield();
            throw new FormatException();
        })));
        Assert.Equal(20, await Deadline.For(pool.Run(() => Nested(20))));

        async Task SwitchedAsync()
        {
            await pool.SwitchTo();
            await StepsAsync();
        }

        async Task StepsAsync()
        {
            for (int i = 0; i < 3; i++)
            {
                UseStack();
                await Task.Yield();
                await Elsewhere.CompleteAsync();
                await Task.Run(() => { });
                await pool.Run(UseStack);
            }

            Assert.Same(pool, NativeThreadPool.Current);
        }

        int Nested(int depth) => depth == 0 ? 0 : 1 + pool.Run(() => Nested(depth - 1)).Result;
    }

    [Fact]
    public async Task T136_Groups_WorkOnTheLeastStack()
    {
        using NativeThreadPool pool = Pool();
        using NativeThreadPool limited = Pool(QueueFullMode.RunOnCaller, limit: 2);
        foreach (NativeThreadPool each in new[] { pool, limited })
        {
            var group = new WorkGroup(each);
            group.QueueRange(_ => UseStack(), Enumerable.Range(0, 100).ToArray());
            await Deadline.For(group.WaitAsync());
            Assert.Equal(2_047, await Deadline.For(each.Run(() => Tree(10))));

            int Tree(int depth)
            {
                if (depth == 0)
                {
                    UseStack();
                    return 1;
                }

                int[] counts = new int[2];
                var both = new WorkGroup(each);
                both.QueueRange(i => counts[i] = Tree(depth - 1), [0, 1]);
                both.Wait();
                return 1 + counts.Sum();
            }
        }
    }

    [Fact]
    public async Task T136_Loops_WorkOnTheLeastStack()
    {
        using NativeThreadPool pool = Pool();
        using var loop = new EventLoop(new EventLoopOptions { MaxStackSize = Least });
        using var posted = new ManualResetEventSlim();
        loop.Post(_ =>
        {
            UseStack();
            posted.Set();
        }, null);
        Deadline.Wait(posted);
        await Deadline.For(loop.InvokeAsync(UseStack));
        await Deadline.For(loop.InvokeAsync(async () =>
        {
            for (int i = 0; i < 3; i++)
            {
                UseStack();
                await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
                await loop.OffloadAsync(pool, UseStack);
                await Task.Yield();
            }

            Assert.Same(loop, EventLoop.Current);
        }));
    }

    /// <summary>Stacks may be smaller than any option allows: the system's and the runtime's own settings say so.</summary>
    [Theory]
    [InlineData(nameof(SmallStackChildren.Resume))]
    [InlineData(nameof(SmallStackChildren.LeaveTheLine))]
    [InlineData(nameof(SmallStackChildren.ResumeElsewhere))]
    public async Task T136_WhereTheFrameworkRunsNothingInPlace_NobodyWaitsForWhatItRefused(string child)
    {
        Func<int> main = child switch
        {
            nameof(SmallStackChildren.Resume) => SmallStackChildren.Resume,
            nameof(SmallStackChildren.LeaveTheLine) => SmallStackChildren.LeaveTheLine,
            _ => SmallStackChildren.ResumeElsewhere,
        };
        ChildProcess.Result result = await ChildProcess.RunAsync(main, ("DOTNET_Thread_DefaultStackSize", "20000")); // hexadecimal: 128 KiB
        Assert.True(result.ExitCode == 0, result.ToString());
    }

    private static NativeThreadPool Pool(QueueFullMode? mode = null, int limit = 100) => new(new NativeThreadPoolOptions
    {
        Name = "small",
        MaxThreads = 1,
        MaxBlockedThreads = 0,
        MaxStackSize = Least,
        QueueLimit = mode is null ? null : limit,
        QueueFullMode = mode ?? default,
    });

    /// <summary>What an item may expect: that the framework runs tasks in place, and 64 KiB for itself.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UseStack()
    {
        Span<byte> stack = stackalloc byte[64 * 1024];
        stack.Fill((byte)Environment.CurrentManagedThreadId);
        Assert.Equal((byte)Environment.CurrentManagedThreadId, stack[^1]);
    }
}
