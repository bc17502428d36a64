using NativeThreading.Workers;

namespace NativeThreading;

/// <summary>The workers that sleep in a wait for the group, and how they learn that there is something for them to run.</summary>
/// <remarks>
/// <para>A worker sleeps in a wait when it has found no item of the group (T151). It lists itself, and then looks once more, at all
/// places where an item may lie that nobody else needs to come to: its own queues, the injector queue, and the queues of workers that
/// wait for groups themselves. What lies with a worker that runs, that worker will run, or it will wait as well.</para>
/// <para>So two kinds of threads tell a sleeper. Who has published items in the injector queue: there a full fence lies between the
/// publication and the read of the number of sleepers. And a worker that begins to wait and has items of the group in its queues:
/// there the fence lies between its mark and that read (<see cref="Blocking.BeginGroupWait"/>). Both pair with the exchange in
/// <see cref="FallAsleep"/>, which lies between the listing and the last look. Either the sleeper sees the item, or whoever left it
/// there sees the sleeper. A worker that only queues into its own deque tells nobody.</para>
/// <para>One sleeper is told at a time, the newest. A sleeper that was told looks, and tells the next one before it runs what it has
/// found. One that was told and leaves without a look, at its timeout or with an exception, tells the next one in its place. Who
/// looks and finds nothing tells nobody: another one has taken it, who has told the next. Only the last look says that there is
/// nothing; an earlier one may miss an item, and whoever was told remembers it until then. Model: native/models/group_wait.pml.</para>
/// </remarks>
public sealed partial class WorkGroup
{
    private List<GroupSleep>? _sleeps; // the newest last; under the lock, as their number, which is read without it

    /// <summary>
    /// There are items where sleepers look: one of them is to do so. The caller has passed a full fence since it has left them
    /// there.
    /// </summary>
    internal void TellSleeper()
    {
        Chaos.Point("WorkGroup.TellSleeper");
        if (SleeperCount == 0)
        {
            return;
        }

        GroupSleep? sleep = null;
        using (_lock.EnterScope())
        {
            if (_sleeps is { Count: > 0 })
            {
                sleep = _sleeps[^1];
                sleep.IsTold = true;
                Unlist(_sleeps.Count - 1);
            }
        }

        Chaos.Point("WorkGroup.TellSleeper, unlisted");
        sleep?.TrySetResult();
    }

    /// <summary>The calling worker is told of items from now on. It looks for them, and for the end of all, once more.</summary>
    private GroupSleep FallAsleep(bool isForEver)
    {
        var sleep = new GroupSleep(isForEver ? this : null);
        using (_lock.EnterScope())
        {
            (_sleeps ??= []).Add(sleep);
            Volatile.Write(ref _pending.Sleepers, _sleeps.Count);
        }

        // A full fence between the listing and the last look: pairs with those of publications, with the one in BeginGroupWait, and with
        // the subtraction in Completed.
        Chaos.Point("WorkGroup.FallAsleep, listed");
        Interlocked.Exchange(ref _awaited, 1);
        Chaos.Point("WorkGroup.FallAsleep, awaited");
        return sleep;
    }

    /// <summary>Ends a sleep. Whether the worker was told, and so has to look again or to tell another one.</summary>
    private bool WakeUp(GroupSleep sleep)
    {
        Chaos.Point("WorkGroup.WakeUp");
        using (_lock.EnterScope())
        {
            int index = _sleeps?.IndexOf(sleep) ?? -1;
            if (index >= 0)
            {
                Unlist(index);
            }

            return sleep.IsTold;
        }
    }

    private void Unlist(int index)
    {
        _sleeps!.RemoveAt(index);
        Volatile.Write(ref _pending.Sleepers, _sleeps.Count);
    }
}
