namespace NativeThreading.Simulation;

/// <summary>A worker's deque or lane: its items, and the lines of its two ends.</summary>
internal sealed class SimulatedRing
{
    private SimulatedItem[] _items = new SimulatedItem[128];
    private int _first;

    public Line Tail { get; } = new(LineKind.QueueEnds);

    public Line Head { get; } = new(LineKind.QueueEnds);

    public int Count { get; private set; }

    /// <summary>The position of the oldest item, counted from the beginning.</summary>
    public long Position { get; private set; }

    public void Push(in SimulatedItem item)
    {
        if (Count == _items.Length)
        {
            var larger = new SimulatedItem[2 * Count];
            for (int i = 0; i < Count; i++)
            {
                larger[i] = At(i);
            }

            (_items, _first) = (larger, 0);
        }

        At(Count++) = item;
    }

    public SimulatedItem TakeNewest() => At(--Count);

    public SimulatedItem TakeOldest()
    {
        SimulatedItem item = At(0);
        _first = (_first + 1) & (_items.Length - 1);
        Count--;
        Position++;
        return item;
    }

    private ref SimulatedItem At(int index) => ref _items[(_first + index) & (_items.Length - 1)];
}
