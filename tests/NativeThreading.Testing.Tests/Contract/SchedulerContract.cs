namespace NativeThreading.Testing.Tests.Contract;

/// <summary>What the contracts of IWorkScheduler share: they hold for whichever pool a consumer was given.</summary>
/// <typeparam name="TScheduler">The implementation.</typeparam>
public abstract class SchedulerContract<TScheduler>
    where TScheduler : SchedulerUnderTest, ICreatable<TScheduler>
{
    private readonly List<string> _log = [];

    /// <summary>What has been noted, in order.</summary>
    private protected IReadOnlyList<string> Log => _log;

    private protected static SchedulerUnderTest Create(int? limit = null, QueueFullMode mode = QueueFullMode.Reject) =>
        Create(new NativeThreadPoolOptions { QueueLimit = limit, QueueFullMode = mode });

    /// <summary>Creates one with some of a pool's options.</summary>
    private protected static SchedulerUnderTest Create(NativeThreadPoolOptions options)
    {
        options.Name = "under-test";
        return TScheduler.Create(options);
    }

    private protected void Note(string text) => _log.Add(text);
}
