using NativeThreading.Platform;

namespace NativeThreading.Time;

/// <summary>Work that waits for its time, and that its pool ends when it shuts down.</summary>
internal interface IDelayedWork : ITimed
{
    /// <summary>The pool that will run the work.</summary>
    NativeThreadPool Pool { get; }

    /// <summary>Whether the work ends when the shutdown begins. Otherwise accepted work has made it, and it ends when the pool stops.</summary>
    bool EndsWithDrain { get; }

    /// <summary>Ends the work, which is not armed any more, because its pool shuts down. What continues after it runs on the built-in pool, because
    /// the caller is any thread.</summary>
    /// <param name="stopToken">The token that has stopped the pool, if one has.</param>
    /// <returns><see langword="true"/> if a call was cancelled here by the token.</returns>
    bool EndByShutdown(CancellationToken? stopToken);

    /// <summary>Calls back on the built-in pool.</summary>
    protected static void Elsewhere<TState>(Action<TState> complete, TState state) =>
        ThreadPool.UnsafeQueueUserWorkItem(complete, state, preferLocal: false);
}
