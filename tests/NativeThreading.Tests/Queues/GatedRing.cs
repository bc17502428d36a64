using NativeThreading.Queues;

namespace NativeThreading.Tests.Queues;

/// <summary>A ring behind a gate, as in a worker, reduced to what the races are about.</summary>
internal sealed class GatedRing
{
    private readonly WorkItemRing _ring = new();
    private OwnerGate _gate;

    public int Count => _ring.Count;

    public ref OwnerGate Gate => ref _gate;

    /// <summary>As the owner.</summary>
    public void Push(int number)
    {
        if (_ring.TryPush(number))
        {
            return;
        }

        _gate.Enter();
        if (!_ring.HasFreeSlot)
        {
            _ring.Grow();
        }

        bool pushed = _ring.TryPush(number);
        _gate.Exit();
        Assert.True(pushed);
    }

    /// <summary>As the owner.</summary>
    public bool TryPop(out int number)
    {
        WorkItem item = default;
        _gate.Enter();
        bool taken = _ring.TryTakeNewest(ref item);
        _gate.Exit();
        number = taken ? item.Number() : -1;
        return taken;
    }

    /// <summary>As the owner: from the middle.</summary>
    public bool TryRemove(int number)
    {
        _gate.Enter();
        bool taken = _ring.TryTake(number);
        _gate.Exit();
        return taken;
    }

    /// <summary>As a thief.</summary>
    public bool TrySteal(out int number)
    {
        WorkItem item = default;
        number = -1;
        if (!_gate.TryRevoke())
        {
            return false;
        }

        bool taken = _ring.TryTakeOldest(ref item);
        _gate.EndRevocation();
        if (taken)
        {
            number = item.Number();
        }

        return taken;
    }
}
