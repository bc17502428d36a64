using System.Runtime.CompilerServices;

namespace NativeThreading.Workers;

/// <summary>The context of a group's items. A group has one for all that flow nothing.</summary>
/// <param name="group">The group.</param>
/// <param name="flowed">What flows to the item, or <see langword="null"/>.</param>
internal sealed class GroupContext(WorkGroup group, ExecutionContext? flowed) : ItemContext
{
    public override WorkGroup Group => group;

    /// <summary>Whether nothing flows to the items.</summary>
    public bool FlowsNothing => flowed is null;

    public override void Run(Worker worker, Action<object?> callback, object? state)
    {
        ref GroupTally tally = ref worker.GroupTally;
        tally.Enter(group);
        Call(callback, state);
        tally.EndItem(group);
    }

    public override void RunElsewhere(Action<object?> callback, object? state)
    {
        Call(callback, state);
        group.Completed(1);
    }

    public override void Drop(NativeThreadPool pool) => group.Dropped(pool);

    /// <summary>The call alone, of an item to which nothing flows.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void CallUnflowed(Action<object?> callback, object? state)
    {
        try
        {
            callback(state);
        }
        catch (Exception exception)
        {
            group.Failed(exception);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Call(Action<object?> callback, object? state)
    {
        if (flowed is not null)
        {
            ExecutionContext.Restore(flowed);
        }

        CallUnflowed(callback, state);
    }
}
