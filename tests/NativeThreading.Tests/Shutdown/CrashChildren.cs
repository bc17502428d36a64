using System.Globalization;
using System.Runtime.ExceptionServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Shutdown;

/// <summary>What the child processes of <see cref="UnhandledExceptionTests"/> do.</summary>
internal static class CrashChildren
{
    public const string Message = "no code handles this";
    public const string MaxThreadsVariable = "NTH_TEST_MAX_THREADS";

    private const int LocalItems = 100;

    public static int ThrowingItem()
    {
        var pool = new NativeThreadPool();
        pool.QueueUserWorkItem(_ => throw new InvalidTimeZoneException(Message));
        return ChildProcess.Survived();
    }

    public static int ThrowingWorkItem()
    {
        var pool = new NativeThreadPool();
        pool.UnsafeQueueUserWorkItem(new Thrower(), preferLocal: false);
        return ChildProcess.Survived();
    }

    public static int HandlerThatRefuses()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            UnhandledException = _ =>
            {
                Console.Error.WriteLine("asked");
                return false;
            },
        });
        pool.QueueUserWorkItem(_ => throw new InvalidTimeZoneException(Message));
        return ChildProcess.Survived();
    }

    /// <summary>
    /// Ten items in a row end their threads, each leaving a hundred local items behind. All must run, on other threads,
    /// and the counts must be exact.
    /// </summary>
    public static int RuntimesHandlerTakesIt()
    {
        const int throwing = 10;
        int handled = 0;
        ExceptionHandling.SetUnhandledExceptionHandler(exception =>
        {
            Interlocked.Increment(ref handled);
            return exception.Message == Message;
        });
        int maxThreads = int.Parse(Environment.GetEnvironmentVariable(MaxThreadsVariable)!, CultureInfo.InvariantCulture);
        NativeThreadPool pool = Pools.WithThreads(maxThreads);
        int ran = 0;
        for (int i = 0; i < throwing; i++)
        {
            pool.QueueUserWorkItem(_ =>
            {
                for (int item = 0; item < LocalItems; item++)
                {
                    pool.QueueUserWorkItem(_ => Interlocked.Increment(ref ran), 0, preferLocal: true);
                }

                throw new InvalidTimeZoneException(Message);
            });
        }

        Deadline.Until(() => Volatile.Read(ref ran) == throwing * LocalItems);
        Deadline.Until(() => Volatile.Read(ref handled) == throwing);
        pool.WaitUntilQuiet();
        Console.WriteLine($"{pool.ThreadCount} threads, {pool.CompletedWorkItemCount} completed, {pool.Probe.Repairs} repairs");
        bool exact = pool.CompletedWorkItemCount == throwing * (LocalItems + 1) && pool.Probe.Repairs == 0
            && pool.ThreadCount <= maxThreads;
        pool.Dispose();
        return exact ? 0 : 1;
    }

    private sealed class Thrower : IThreadPoolWorkItem
    {
        public void Execute() => throw new InvalidTimeZoneException(Message);
    }
}
