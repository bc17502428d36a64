namespace NativeThreading.AspNetCore.Tests.Support;

/// <summary>Where the caller runs, by the name of the pool.</summary>
internal static class Where
{
    /// <summary>The runtime's pool, or any other thread that is no worker.</summary>
    public const string Runtime = "runtime";

    /// <summary>The pool's thread and the pool's scheduler: later awaits come back.</summary>
    public static string AmI => (NativeThreadPool.Current, TaskScheduler.Current) switch
    {
        (null, var scheduler) => scheduler == TaskScheduler.Default ? Runtime : "a foreign thread with a pool's scheduler",
        ({ } pool, var scheduler) => scheduler == pool.Scheduler ? pool.Name : $"{pool.Name} without its scheduler",
    };
}
