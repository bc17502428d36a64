using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;

namespace NativeThreading.Scheduling;

/// <summary>The context of a group's items. A group has one for all that flow nothing.</summary>
/// <param name="group">The group.</param>
/// <param name="flowed">What flows to the item, or <see langword="null"/>.</param>
internal sealed class GroupContext(WorkGroup group, ExecutionContext? flowed) : ItemContext
{
    private Action<object?>? _last; // of those that came before there is a repeated one
    private RepeatedCall? _repeated;

    public override WorkGroup Group => group;

    /// <summary>
    /// A call of that callback in this context, if the group has been given it again and again. The first callback that comes twice in a row
    /// gets an object, and keeps it. By any thread: a late thread replaces an object by its like.
    /// </summary>
    public RepeatedCall? CallOf(Action<object?> callback)
    {
        if (Volatile.Read(ref _repeated) is { } repeated)
        {
            return ReferenceEquals(repeated.Callback, callback) ? repeated : null;
        }

        if (!ReferenceEquals(_last, callback))
        {
            _last = callback;
            return null;
        }

        repeated = new RepeatedCall(callback, this);
        Volatile.Write(ref _repeated, repeated); // release: pairs with the read above
        _last = null;
        return repeated;
    }

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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Call(Action<object?> callback, object? state)
    {
        if (flowed is not null)
        {
            ThreadCulture.Restore(flowed);
        }

        try
        {
            callback(state);
        }
        catch (Exception exception)
        {
            group.Failed(exception);
        }
    }
}
