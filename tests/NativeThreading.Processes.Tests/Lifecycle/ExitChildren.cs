using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>What the child processes of <see cref="ProcessExitTests"/> do.</summary>
internal static class ExitChildren
{
    public const int ExitCode = 42;
    public const string StateVariable = "NTH_TEST_STATE";

    private static readonly ManualResetEventSlim s_never = new();

    public static int Exit()
    {
        Enter();
        return ExitCode;
    }

    public static int Return()
    {
        Enter();
        return ChildProcess.ReturnFromMain;
    }

    public static int Throw()
    {
        Enter();
        throw new InvalidTimeZoneException("on the main thread");
    }

    public static int ExitOnWorker()
    {
        Pools.WithThreads(2).QueueUserWorkItem(_ => Environment.Exit(ExitCode));
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    public static int UseFromStaticConstructor() =>
        FirstUse.Answer == (42, 42, "worker") ? 0 : 1;

    private static void Enter()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions
        {
            MaxThreads = 2,
            MinThreads = 2,
            LingerTime = TimeSpan.FromMilliseconds(10),
        });
        switch (Environment.GetEnvironmentVariable(StateVariable))
        {
            case "idle":
                new BlockedWorkers(pool, 2).Dispose();
                pool.WaitUntilQuiet();
                break;
            case "lingering":
                pool.OnWorker(() => { });
                break;
            case "running":
                Occupy(pool, static () =>
                {
                    while (true)
                    {
                        Thread.SpinWait(1);
                    }
                });
                break;
            case "blocked":
                Occupy(pool, static () => s_never.Wait(Timeout.Infinite));
                break;
            case "queueing":
                Occupy(pool, () =>
                {
                    while (true)
                    {
                        pool.UnsafeQueueUserWorkItem(static _ => { }, 0, preferLocal: true);
                        Thread.Yield();
                    }
                });
                break;
            case "stopped":
                pool.OnWorker(() => { });
                pool.Dispose();
                break;
            default:
                throw new InvalidOperationException($"{StateVariable} names no state.");
        }
    }

    private static void Occupy(NativeThreadPool pool, Action forEver)
    {
        using var entered = new CountdownEvent(2);
        for (int i = 0; i < 2; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    entered.Signal();
                    forEver();
                },
                null);
        }

        Deadline.Wait(entered);
    }

    private static class FirstUse
    {
        public static readonly (int Raw, int Task, string Thread) Answer = Compute();

        // The items are another class's code: they must not need this class, whose constructor waits for them.
        private static (int, int, string) Compute()
        {
            using var pool = new NativeThreadPool();
            using Observation<int> raw = Items.Answer();
            pool.QueueUserWorkItem(raw.Observe);
            return (raw.Result, Deadline.Result(pool.Run(Items.Number)), Deadline.Result(NativeThreadPool.Shared.Run(Items.Thread)));
        }
    }

    private static class Items
    {
        public static Observation<int> Answer() => new(Number);

        public static int Number() => 42;

        public static string Thread() => NativeThreadPool.Current is null ? "other" : "worker";
    }
}
