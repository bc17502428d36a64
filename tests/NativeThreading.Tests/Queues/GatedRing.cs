using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>The deque of a worker and its gate, with numbers in the place of items.</summary>
internal sealed class GatedRing
{
    [ThreadStatic]
    private static TestThief? t_thief;

    private readonly GatedQueues _queues = new();

    public int Count => _queues.Own.Count;

    /// <summary>As the owner. While a thief is inside, a full ring cannot grow; a worker then queues the item elsewhere.</summary>
    public void Push(int number)
    {
        while (!_queues.TryPush(number))
        {
            Thread.SpinWait(1);
        }
    }

    /// <summary>As the owner.</summary>
    public bool TryPop(out int number)
    {
        number = _queues.Take();
        return number >= 0;
    }

    /// <summary>As the owner: from the middle.</summary>
    public bool TryRemove(int number)
    {
        WorkItem item = default;
        bool taken = _queues.Own.TryTakeMatching(static (in WorkItem candidate, int wanted) => candidate.Number() == wanted, number, ref item);
        Assert.True(!taken || item.Number() == number);
        return taken;
    }

    /// <summary>As a thief.</summary>
    public bool TrySteal(out int number) => (t_thief ??= new TestThief()).TrySteal(ref _queues.Own, out number);
}
