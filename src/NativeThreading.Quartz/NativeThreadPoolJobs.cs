namespace NativeThreading.Quartz;

/// <summary>What jobs say about where they run.</summary>
public static class NativeThreadPoolJobs
{
    /// <summary>The key under which the data of a trigger or a job names the pool that the job runs on: the trigger's goes before the job's, and both
    /// go before <see cref="RunOnNativeThreadPoolAttribute"/>.</summary>
    public const string PoolNameKey = "NativeThreading.Pool";
}
