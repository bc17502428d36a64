namespace NativeThreading.SoakProgram.Plan;

/// <summary>Who ends a loop, and how.</summary>
internal enum LoopEnding
{
    /// <summary><c>ShutdownAsync</c> by the track.</summary>
    Drained,

    /// <summary><c>Dispose</c> by the track, which waits.</summary>
    Disposed,

    /// <summary>A token that was cancelled before the shutdown began.</summary>
    StoppedAtOnce,

    /// <summary>A token that is cancelled while the loop drains.</summary>
    StoppedWhileDraining,

    /// <summary>A callback of the loop itself.</summary>
    ByItself,

    /// <summary>An item of a pool disposes of it, and waits.</summary>
    ByPool,

    /// <summary>The finalizer of an object that held it.</summary>
    ByFinalizer,

    /// <summary>Two threads at once.</summary>
    TwiceAtOnce,
}
