using System.Runtime.ExceptionServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Roster;

/// <summary>T39: a worker's thread ends, by an exception that the runtime's handler takes, with items in its queues.</summary>
[Trait("Category", "Soak")]
public sealed class ThreadEndTests
{
    [Fact]
    public async Task T39_ItemsOfAWorkerThatEnds_AreRunByOthers_PromptlyAndOnce()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(EndWorkers);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    // In a child, because the handler is the process's for good.
    private static int EndWorkers()
    {
        ExceptionHandling.SetUnhandledExceptionHandler(static exception => exception is EndOfThread);
        using NativeThreadPool pool = Pools.WithThreads(2);
        long items = 0;
        for (int round = 0; round < 50; round++)
        {
            using var left = new CountdownEvent(100);
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    for (int i = 0; i < 100; i++)
                    {
                        pool.UnsafeQueueUserWorkItem(static left => left.Signal(), left, preferLocal: i % 2 == 0);
                    }

                    throw new EndOfThread();
                },
                null);
            Deadline.Wait(left);
            items += 101;
        }

        pool.WaitUntilQuiet();
        Deadline.Until(() => pool.CompletedWorkItemCount == items);
        Assert.InRange(pool.ThreadCount, 1, 2);
        Assert.Equal(0, pool.Probe.Repairs);
        return 0;
    }

    private sealed class EndOfThread : Exception;
}
