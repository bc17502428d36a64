using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading;

// The workers that sleep in a wait for the group, and the way in which they are woken for new items.
// A worker sleeps in a wait when it has found no item of the group (T151). It announces itself, and then scans once more all places from which no
// other worker needs to take an item: its own queues, the injector queue, and the queues of workers that wait for groups themselves. A running worker
// runs the items in its own queues, or starts to wait as well.
// So two kinds of threads wake the sleepers. The first kind has published items in the injector queue: there a full fence lies between the
// publication and the check for sleepers. The second kind is a worker that starts to wait and has items of the group in its queues: there the fence
// lies between its mark and that check (Blocking.BeginGroupWait). Both pair with the exchange in FallAsleep, which
// lies between the announced sleep and the last scan. Either the sleeper sees the item, or the thread that left the item there sees the sleeper. A
// worker that only queues into its own deque wakes no other worker.
// All sleepers of the group wake, and each scans: items of one range may wait for each other, and a group seldom has more than one waiter. While they
// are awake, a publishing thread finds no sleep and pays nothing. Model: native/models/group_wait.pml.
public sealed partial class WorkGroup
{
    private GroupSleep? _sleep; // of all sleepers; changed under the lock

    /// <summary>
    /// Wakes the sleepers, because there are items in the places that they scan. The caller has passed a full fence since it left the items there.
    /// </summary>
    internal void WakeSleepers()
    {
        Chaos.Point("WorkGroup.WakeSleepers");
        if (Volatile.Read(ref _sleep) is null)
        {
            return;
        }

        GroupSleep? sleep;
        using (_lock.EnterScope())
        {
            sleep = _sleep;
            Volatile.Write(ref _sleep, null);
        }

        Chaos.Point("WorkGroup.WakeSleepers, taken");
        if (sleep is not null)
        {
            Completion.Set(sleep);
        }
    }

    /// <summary>From now on new items wake the calling worker. It must then scan for items, and check for the end of the group, once more.</summary>
    private GroupSleep FallAsleep()
    {
        GroupSleep sleep;
        using (_lock.EnterScope())
        {
            sleep = _sleep ?? new GroupSleep(this);
            Volatile.Write(ref _sleep, sleep);
        }

        // A full fence between the sleep and the last scan: pairs with those of publications, with the one in BeginGroupWait, and with the
        // addition in Completed.
        Chaos.Point("WorkGroup.FallAsleep, known");
        Interlocked.Exchange(ref _awaited, 1);
        Chaos.Point("WorkGroup.FallAsleep, awaited");
        return sleep;
    }
}
