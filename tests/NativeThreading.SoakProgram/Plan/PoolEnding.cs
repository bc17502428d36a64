namespace NativeThreading.SoakProgram.Plan;

/// <summary>Who ends a pool, and how.</summary>
internal enum PoolEnding
{
    /// <summary><c>ShutdownAsync</c> by the track.</summary>
    Drained,

    /// <summary><c>Dispose</c> by the track, which waits.</summary>
    Disposed,

    /// <summary><c>DisposeAsync</c> by an async method on another pool.</summary>
    DisposedAsync,

    /// <summary>A token that was cancelled before the shutdown began.</summary>
    StoppedAtOnce,

    /// <summary>A token that is cancelled while the pool drains.</summary>
    StoppedWhileDraining,

    /// <summary>An item of the pool disposes of it.</summary>
    ByOwnWorker,

    /// <summary>An item of another pool does, and waits.</summary>
    ByOtherPool,

    /// <summary>The finalizer of an object that held it.</summary>
    ByFinalizer,

    /// <summary>Two threads at once, each in another way.</summary>
    TwiceAtOnce,

    /// <summary>A callback of an event loop.</summary>
    ByLoop,
}
