namespace NativeThreading.Tables.EventLoops;

/// <summary>What the rows of both languages share: the reasons for a missing ratio, and what a row's work is.</summary>
internal static class Rows
{
    public const string ReportOnly = "reported, not compared";
    public const string Deferred = "no ratio: libuv defers the registration to a later run, which never comes here";

    public static readonly int[] Batches = [10, 100, 1000];

    private static readonly Dictionary<string, string> s_work = new()
    {
        ["create-destroy"] = "create and destroy a loop",
        ["wake/eventfd"] = "wake through the kernel and poll, on one thread (no latency: T120); this loop knows of the wake from its "
            + "state word and reads the descriptor without asking epoll, so that it can be below the floor",
        ["wake/own-thread"] = "the same where no system call is needed; libuv makes it all the same",
        ["wake/cross-thread"] = "wake a loop that has slept for 60 us, until it runs; all CPU time but that of waiting for the sleep",
        ["pipe-add-del"] = "register a pipe and remove it",
        ["timer"] = "arm timers for now, one turn, all fire",
        ["timer/armed-100000"] = "arm one of 100,000 armed timers anew for a random time in about an hour",
        ["offload"] = "submit so many works that do nothing to a pool of 4 threads, until all have completed on the loop",
    };

    /// <summary>The sentence for a row's note.</summary>
    public static string Work(string row) => s_work[row];
}
