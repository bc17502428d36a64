namespace NativeThreading.Queues;

/// <summary>A slot of an <see cref="InjectorSegment"/>: what every item has. Four of them lie on a cache line.</summary>
internal struct InjectorSlot
{
    /// <summary>The callback, or a <see cref="RepeatedCall"/>; <see langword="null"/> marks an empty slot.</summary>
    public object? Call;

    /// <summary>The callback's argument.</summary>
    public object? State;
}
