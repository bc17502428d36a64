using System.Runtime.InteropServices;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>
/// The group whose items a worker runs, and how many completed items have not been reported to the group yet. One report for
/// many items keeps the group's count from moving between processors with each.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * PaddedIndex.Line)]
internal struct GroupTally
{
    [FieldOffset(PaddedIndex.Line - sizeof(long))]
    private WorkGroup? _group;

    [FieldOffset(PaddedIndex.Line)]
    private int _completed;

    /// <summary>Whether there is no group.</summary>
    public readonly bool IsEmpty => _group is null;

    /// <summary>An item of a group starts.</summary>
    public void Enter(WorkGroup group)
    {
        if (_group != group)
        {
            Report();
            _group = group;
        }
    }

    /// <summary>The item has completed.</summary>
    public void EndItem(WorkGroup group)
    {
        Enter(group); // it may have waited, and others ran in between
        _completed++;
    }

    /// <summary>Something else comes next: others may wait for the batch of a group that is not run any more.</summary>
    public void Leave()
    {
        if (_group is not null)
        {
            Report();
        }
    }

    /// <summary>Reports the count to the group. A waiter may return as soon as this has happened.</summary>
    public void Report()
    {
        WorkGroup? group = _group;
        int completed = _completed;
        _group = null;
        _completed = 0;
        if (completed != 0)
        {
            group!.Completed(completed);
        }
    }
}
