using System.Runtime.ExceptionServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.EventLoops.Shutdown;

/// <summary>What the child processes of <see cref="LoopUnhandledExceptionTests"/> do.</summary>
internal static class LoopCrashChildren
{
    public const string Message = "no code on the loop handles this";
    public const string SourceVariable = "NTH_TEST_SOURCE";

    /// <summary>The exception comes from where the variable says; nothing handles it.</summary>
    public static int Crash()
    {
        LoopCrashSources.ThrowFrom(new EventLoop(), Environment.GetEnvironmentVariable(SourceVariable)!);
        return ChildProcess.Survived();
    }

    public static int HandlerThatRefuses()
    {
        var loop = new EventLoop(new EventLoopOptions
        {
            UnhandledException = _ =>
            {
                Console.Error.WriteLine("asked");
                return false;
            },
        });
        LoopCrashSources.ThrowFrom(loop, "callback");
        return ChildProcess.Survived();
    }

    /// <summary>
    /// The runtime's handler lets the process live, and each exception ends the loop's thread. Nothing may be lost: neither
    /// the callbacks behind, nor the timers of the same batch, nor descriptors.
    /// </summary>
    public static int RuntimesHandlerTakesIt()
    {
        const int each = 10;
        int handled = 0;
        ExceptionHandling.SetUnhandledExceptionHandler(exception =>
        {
            Interlocked.Increment(ref handled);
            return exception.Message == Message;
        });
        var loop = new EventLoop(new EventLoopOptions { Name = "survivor" });
        var order = new List<int>();
        var threads = new HashSet<int>();
        var timers = new int[each];
        using (new OccupiedLoop(loop))
        {
            for (int i = 0; i < each; i++)
            {
                int number = i;
                loop.UnsafePost(
                    _ =>
                    {
                        order.Add(number);
                        threads.Add(Environment.CurrentManagedThreadId);
                        throw new InvalidTimeZoneException(Message);
                    },
                    null);
            }

            loop.UnsafePost(
                _ =>
                {
                    for (int i = 0; i < each; i++)
                    {
                        int number = i;
                        new EventLoopTimer(
                            loop,
                            _ =>
                            {
                                timers[number]++;
                                throw new InvalidTimeZoneException(Message);
                            },
                            null).Arm(TimeSpan.Zero); // all in one batch
                    }
                },
                null);
        }

        Deadline.Until(() => Volatile.Read(ref handled) == 2 * each);
        bool same = loop.Call(() => loop.IsInLoop && EventLoop.Current == loop && Thread.CurrentThread.Name == "survivor"
            && SynchronizationContext.Current == loop.SynchronizationContext);
        loop.Dispose();
        bool exact = same && order.SequenceEqual(Enumerable.Range(0, each)) && timers.All(count => count == 1)
            && threads.Count == each && loop.RanElsewhereCount == 0;
        Console.WriteLine($"{same}; {string.Join(' ', order)}; {string.Join(' ', timers)}; {threads.Count} threads");
        return exact ? 0 : 1;
    }

    /// <summary>The loop's thread has ended and there is no other: it says so, and stops as if shut down.</summary>
    public static int NoThreadToGoOnWith()
    {
        ExceptionHandling.SetUnhandledExceptionHandler(static exception => exception.Message == Message);
        using var log = new EventLog();
        var loop = new EventLoop(new EventLoopOptions { Name = "last" });
        var gate = new TaskCompletionSource();
        Task<int> method = loop.InvokeAsync(async () =>
        {
            await gate.Task;
            return 5;
        });
        using (new FailingThreadStarts("last"))
        {
            loop.UnsafePost(_ => throw new InvalidTimeZoneException(Message), null);
            log.WaitFor("LoopEnded", "last");
        }

        Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
        gate.SetResult();
        return Deadline.Result(method) == 5 ? 0 : 1;
    }
}
