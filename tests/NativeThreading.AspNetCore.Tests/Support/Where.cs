namespace NativeThreading.AspNetCore.Tests.Support;

/// <summary>Where the caller runs, by the name of the pool.</summary>
internal static class Where
{
    /// <summary>The built-in pool, or any other thread that is no worker.</summary>
    public const string Runtime = "runtime";

    /// <summary>Any event loop.</summary>
    public const string Loop = "a loop";

    /// <summary>The pool's thread, where later awaits come back to the pool.</summary>
    public static string AmI => (NativeThreadPool.Current, SynchronizationContext.Current) switch
    {
        (null, { }) when EventLoop.Current is { } loop && SynchronizationContext.Current == loop.SynchronizationContext => Loop,
        (null, var context) => context is null ? Runtime : $"a foreign thread with {context}",
        ({ } pool, _) => pool.SwitchTo().GetAwaiter().IsCompleted ? pool.Name : $"{pool.Name} without its context",
    };
}
