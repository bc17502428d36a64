using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>What the child processes of <see cref="ThrowingContextTests"/> do.</summary>
internal static class ThrowingContextChildren
{
    public const string WindowVariable = "NTH_TEST_WINDOW";
    public const string Message = "the callback of a local";

    /// <summary>Where the context is changed at which the callback throws; the built-in pool to compare with.</summary>
    public static readonly string[] Windows = ["runtime", "before an item", "after an item", "before a helped item", "after helping"];

    private static bool s_throws;

    private static readonly AsyncLocal<string?> s_local = new(static change =>
    {
        if (Volatile.Read(ref s_throws) && change.ThreadContextChanged)
        {
            throw new InvalidTimeZoneException(Message);
        }
    });

    public static int Run()
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, UnhandledException = static _ => true });
        switch (Environment.GetEnvironmentVariable(WindowVariable))
        {
            case "runtime":
                s_local.Value = "set";
                Volatile.Write(ref s_throws, true);
                ThreadPool.QueueUserWorkItem(static _ => { });
                break;
            case "before an item":
                s_local.Value = "set";
                Volatile.Write(ref s_throws, true);
                pool.QueueUserWorkItem(static _ => { });
                break;
            case "after an item":
                pool.QueueUserWorkItem(static _ =>
                {
                    s_local.Value = "set";
                    Volatile.Write(ref s_throws, true);
                });
                break;
            case "before a helped item":
                pool.QueueUserWorkItem(_ => Help(pool, static () => { }, throwsBefore: true));
                break;
            case "after helping":
                pool.QueueUserWorkItem(_ => Help(pool, static () => Volatile.Write(ref s_throws, true), throwsBefore: false));
                break;
        }

        return ChildProcess.Survived();
    }

    private static void Help(NativeThreadPool pool, Action item, bool throwsBefore)
    {
        var group = new WorkGroup(pool);
        group.Queue(_ => item(), 0);
        s_local.Value = "waiter";
        Volatile.Write(ref s_throws, throwsBefore);
        group.Wait();
    }
}
