using System.Diagnostics;
using System.IO.Pipes;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Starvation;

/// <summary>Blocked workers are replaced, whatever they are blocked in, without the cooperation of their code.</summary>
public sealed class HealingTests : StarvationTest
{
    public static TheoryData<string> Kinds => new("Task.Wait", "Result", "lock", "Sleep", "event", "read");

    [Theory]
    [MemberData(nameof(Kinds))]
    public void T88_EveryWorkerBlocked_IsReplacedWithinMilliseconds(string kind)
    {
        // A busy machine may delay any one attempt; a slow pool delays all of them. A machine that is busy all the time delays every new thread:
        // there, the pool may take several times as long as a thread that it has no part in.
        TimeSpan best = TimeSpan.MaxValue;
        bool isSoon = false;
        for (int attempt = 0; attempt < 10 || (!isSoon && attempt < 100); attempt++)
        {
            NativeThreadPool pool = NewPool(2);
            using var block = new Block(kind);
            using var entered = new CountdownEvent(2);
            using var left = new CountdownEvent(2);
            var blocked = new Thread[2];
            for (int i = 0; i < 2; i++)
            {
                int number = i;
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        blocked[number] = Thread.CurrentThread;
                        entered.Signal();
                        block.Enter();
                        left.Signal();
                    },
                    null);
            }

            Deadline.Wait(entered);

            // The framework spins before it blocks in a task, and yields: that costs a time slice each on a busy machine, and is not the
            // pool's time. A thread that reads never says that it waits.
            SpinWait.SpinUntil(
                () => Array.TrueForAll(blocked, static thread => thread.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin)),
                TimeSpan.FromMilliseconds(kind == "read" ? 1 : 1_000));
            using var probed = new ManualResetEventSlim();
            long queued = Stopwatch.GetTimestamp();
            pool.UnsafeQueueUserWorkItem(_ => probed.Set(), null);
            Deadline.Wait(probed);
            TimeSpan taken = Stopwatch.GetElapsedTime(queued);
            best = taken < best ? taken : best;
            isSoon = best < TimeSpan.FromMilliseconds(10) || (attempt >= 10 && taken < 4 * StartThreadAfterASleep());
            block.Release();
            Deadline.Wait(left);
        }

        Assert.True(isSoon, $"The best attempt took {best.TotalMilliseconds} ms.");
    }

    /// <summary>The steps of a replacement without a pool: a sleep as long as the monitor's, then a new thread that wakes another one.</summary>
    private static TimeSpan StartThreadAfterASleep()
    {
        using var runs = new ManualResetEventSlim();
        long began = Stopwatch.GetTimestamp();
        Thread.Sleep(1);
        new Thread(runs.Set) { IsBackground = true }.Start();
        Deadline.Wait(runs);
        return Stopwatch.GetElapsedTime(began);
    }

    [Fact]
    public void T11_WithoutAnOutstandingRequest_WorkersThatBlockLaterAreStillFound()
    {
        // One worker is busy, nothing waits; then it queues for others and blocks for what it has queued.
        NativeThreadPool pool = NewPool(1);
        using var ran = new ManualResetEventSlim();
        pool.OnWorker(() =>
        {
            pool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
            Deadline.Wait(ran);
        });
    }

    [Fact]
    public void T27_WhatABlockedWorkerWaitsFor_ComesBeforeAllElse()
    {
        // A hundred items that block are queued before; only the newest lets them go.
        NativeThreadPool pool = NewPool(1, options => options.MaxBlockedThreads = 8);
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(100);
        pool.OnWorker(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        release.Wait(Deadline.Time);
                        left.Signal();
                    },
                    (object?)null,
                    preferLocal: false);
            }

            pool.UnsafeQueueUserWorkItem(_ => release.Set(), (object?)null, preferLocal: true);
            Deadline.Wait(release);
        });
        Deadline.Wait(left);
    }

    [Fact]
    public void SyncOverAsync_OnEveryWorker_HealsByItself()
    {
        NativeThreadPool pool = NewPool(2);
        using var ended = new CountdownEvent(100);
        for (int i = 0; i < 100; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Endless.Wait(pool.Run(static async () =>
                    {
                        await Task.Yield();
                        await Task.Yield();
                    }));
                    ended.Signal();
                },
                null);
        }

        Deadline.Wait(ended);
    }

    /// <summary>Also on a busy machine: a thread that has not come to wait, because it lacks a processor, does not get on.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    public void HundredsOfBlockedItems_TakeAFewPasses_NotHundreds(int computingBeside)
    {
        // Three for each that is blocked: 2, 6, 18, 54, 162, 58. Two at a time it would be 150 passes of two looks and more.
        const int items = 300;
        NativeThreadPool pool = NewPool(2);
        using var entered = new CountdownEvent(items);
        using var release = new ManualResetEventSlim();
        using var left = new CountdownEvent(items);
        using var log = new EventLog();
        using var others = new ComputingThreads(computingBeside);
        for (int i = 0; i < items; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    entered.Signal();
                    release.Wait(Deadline.Time);
                    left.Signal();
                },
                null);
        }

        Deadline.Wait(entered);
        int passes = log.Of("ThreadsInjected", "starve").Count;
        release.Set();
        Deadline.Wait(left);

        // 5 on a quiet machine. On a busy one newcomers are proven by turns, as each spins, for slices of time, before it waits: up to 18.
        Assert.InRange(passes, 1, 60);
    }

    /// <summary>One way to block, and to let go.</summary>
    private sealed class Block : IDisposable
    {
        private readonly string _kind;
        private readonly TaskCompletionSource<int> _task = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEvent _event = new(initialState: false);
        private readonly object _lock = new();
        private readonly AnonymousPipeServerStream _pipe = new(PipeDirection.Out);
        private readonly AnonymousPipeClientStream _reader;
        private readonly List<Thread> _sleepers = [];
        private bool _isReleased;

        public Block(string kind)
        {
            _kind = kind;
            _reader = new AnonymousPipeClientStream(PipeDirection.In, _pipe.ClientSafePipeHandle);
            Monitor.Enter(_lock);
        }

        public void Enter()
        {
            switch (_kind)
            {
                case "Task.Wait":
                    Endless.Wait(_task.Task);
                    break;
                case "Result":
                    _ = _task.Task.Result;
                    break;
                case "lock":
                    lock (_lock)
                    {
                        break;
                    }

                case "Sleep":
                    lock (_sleepers)
                    {
                        if (_isReleased)
                        {
                            break;
                        }

                        _sleepers.Add(Thread.CurrentThread);
                    }

                    try
                    {
                        Thread.Sleep(Deadline.Time);
                    }
                    catch (ThreadInterruptedException)
                    {
                        // Released.
                    }

                    break;
                case "event":
                    _event.WaitOne(Deadline.Time);
                    break;
                default:
                    lock (_reader) // one reads, the other waits for its turn
                    {
                        _reader.ReadByte();
                    }

                    break;
            }
        }

        public void Release()
        {
            _task.TrySetResult(0);
            _event.Set();
            Monitor.Exit(_lock);
            _pipe.WriteByte(1);
            _pipe.WriteByte(1);
            lock (_sleepers)
            {
                _isReleased = true;
                _sleepers.ForEach(static sleeper => sleeper.Interrupt());
            }
        }

        public void Dispose()
        {
            _event.Dispose();
            _pipe.Dispose();
            _reader.Dispose();
        }
    }

    [Fact]
    public void ALookEnds_WhereIdleThreadsEndAsFastAsOthersStart()
    {
        NativeThreadPool pool = NewPool(1, static options => options.IdleTimeout = TimeSpan.FromMilliseconds(1));
        using (new BlockedWorkers(pool, 1))
        using (new FailingThreadStarts(_ =>
        {
            Deadline.Until(() => pool.ThreadCount == 2, "the thread before has run all and ended"); // the blocked one, and the one that starts
            return false;
        }))
        {
            for (int i = 0; i < 50; i++)
            {
                pool.UnsafeQueueUserWorkItem(static _ => { }, null);
            }

            AwaitMonitorsEnd(pool);
            Assert.Equal(0, pool.PendingWorkItemCount);
        }
    }
}
