namespace NativeThreading.Simulation;

/// <summary>What a worker's next step is.</summary>
internal enum Phase
{
    /// <summary>The next item of its own.</summary>
    Next,

    /// <summary>The end of the item in hand.</summary>
    Running,

    /// <summary>A batch from elsewhere.</summary>
    Refill,

    /// <summary>Another worker's items.</summary>
    Steal,

    /// <summary>The first item of what came from elsewhere.</summary>
    First,

    /// <summary>Polling.</summary>
    Linger,

    /// <summary>A part of a look at all queues.</summary>
    Look,

    /// <summary>Asleep; the step is the end of its time.</summary>
    Parked,

    /// <summary>Asleep, and woken.</summary>
    Woken,
}
