using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Roster;

/// <summary>
/// One thread of many cannot be started: the n-th, for each n that there is, of a pool that grows, replaces blocked threads and runs a task on its
/// own thread, of a loop, and of the monitor (T36, T44).
/// </summary>
[Trait("Category", "Fault")]
public sealed class NthThreadStartTests
{
    private int _starts;
    private int _ran;
    private int _accepted;

    [Fact]
    public async Task T44_NthStartFails_WhoNeededItIsTold_AndAllThatWasAcceptedRunsOnce()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(EachInTurn); // in which no monitor is there yet
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int EachInTurn()
    {
        RunOnce(1); // the monitor's own
        using NativeThreadPool keepsTheMonitor = Pools.WithThreads(1);
        keepsTheMonitor.OnWorker(static () => { });
        int n = 1;
        while (RunOnce(n))
        {
            n++;
        }

        Assert.InRange(n, 6, 100);
        return 0;
    }

    private static bool RunOnce(int n)
    {
        var test = new NthThreadStartTests();
        bool failed = test.Run(n);
        Assert.Equal(test._accepted, test._ran);
        return failed;
    }

    /// <summary>Whether there were as many starts.</summary>
    private bool Run(int n)
    {
        using var failing = new FailingThreadStarts(_ => Interlocked.Increment(ref _starts) == n);
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "nth", MaxThreads = 3 });
        Accept(() => pool.UnsafeQueueUserWorkItem(_ => Ran(), null));
        using (var release = new ManualResetEventSlim())
        {
            for (int i = 0; i < 4; i++)
            {
                Accept(() => pool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        release.Wait(Deadline.Time); // three wait: others take over, or run when these end
                        Ran();
                    },
                    null));
            }

            Accept(() => pool.UnsafeQueueUserWorkItem(_ => release.Set(), null));
            Deadline.Wait(release);
            Deadline.Until(() => Volatile.Read(ref _ran) >= _accepted - 1);
        }

        Ran(); // for the one that set the event
        var task = new Task(Ran, TaskCreationOptions.LongRunning);
        Accept(() => task.Start(pool.Scheduler));
        Accept(() =>
        {
            using var loop = new EventLoop(new EventLoopOptions { Name = "nth" });
            loop.Call(Ran);
        });
        Deadline.Wait(pool.ShutdownAsync(CancellationToken.None));
        return failing.Attempts != 0;
    }

    private void Ran() => Interlocked.Increment(ref _ran);

    /// <summary>Once more where it is refused: only one start fails.</summary>
    private void Accept(Action call)
    {
        _accepted++;
        try
        {
            call();
        }
        catch (Exception exception) when (exception is OutOfMemoryException or TaskSchedulerException)
        {
            if (exception is TaskSchedulerException)
            {
                _accepted--; // a task has failed then, and is never run
            }
            else
            {
                call();
            }
        }
    }
}
