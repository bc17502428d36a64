namespace NativeThreading.Workloads.Metrics;

/// <summary>What is measured of a pool while items run.</summary>
internal enum Measuring
{
    /// <summary>There is no listener, and the pool measures nothing: the default.</summary>
    Nothing,

    /// <summary>A listener reads all instruments again and again.</summary>
    Meter,

    /// <summary>The pool measures queue times, and there is no listener.</summary>
    QueueDurationUnheard,

    /// <summary>Each item's time in the queue goes to a listener.</summary>
    QueueDuration,

    /// <summary>An observer has each item recorded.</summary>
    Observed,

    /// <summary>The pool always records each item.</summary>
    Recorded,
}

/// <summary>Which way items take into the queues: each has its own code.</summary>
internal enum QueueFrom
{
    /// <summary>Each item queues the next one into its worker's deque.</summary>
    WorkerLocal,

    /// <summary>Each item queues the next one into its worker's lane.</summary>
    Worker,

    /// <summary>A thread that is no worker queues them all.</summary>
    Outside,
}
