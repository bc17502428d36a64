using NativeThreading.Platform;

namespace NativeThreading.Scheduling;

/// <summary>A thread that the monitor watches: a worker, or the driver of a loop.</summary>
internal interface IWatched
{
    /// <summary>Looks at the thread; <see langword="null"/> before it runs.</summary>
    ThreadProbe? Probe { get; }

    /// <summary>Changes whenever the thread begins or ends to wait in our own code: odd while it does.</summary>
    int Parks { get; }

    /// <summary>Changes with each item.</summary>
    long CompletedCount { get; }

    /// <summary>Whether the thread runs yet.</summary>
    bool HasThread { get; }
}
