using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading;

// The workers that sleep in a wait for the group, and how they learn that there is something for them to run.
// A worker sleeps in a wait when it has found no item of the group (T151). It makes itself known, and then looks once more, at all
// places in which an item may be that no other worker needs to find: its own queues, the injector queue, and the queues of workers that
// wait for groups themselves. A worker that runs will run the items in its own queues, or it will wait as well.
// So two kinds of threads wake the sleepers. The first kind has published items in the injector queue: there a full fence lies between the
// publication and the look for sleepers. And a worker that begins to wait and has items of the group in its queues: there the fence lies
// between its mark and that look (Blocking.BeginGroupWait). Both pair with the exchange in FallAsleep, which
// lies between the sleep that others see and the last look. Either the sleeper sees the item, or the thread that left it there sees the sleeper. A
// worker that only queues into its own deque wakes no other worker.
// All sleepers of the group wake, and each looks: items of one range may wait for each other, and a group seldom has more than one
// waiter. While they are awake, a publishing thread finds no sleep and pays nothing. Model: native/models/group_wait.pml.
public sealed partial class WorkGroup
{
    private GroupSleep? _sleep; // of all that sleep; changed under the lock

    /// <summary>
    /// There are items where sleepers look: they are to do so. The caller has passed a full fence since it has left them there.
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

    /// <summary>The calling worker is woken when there are items from now on. It looks for them, and for the end of all, once more.</summary>
    private GroupSleep FallAsleep()
    {
        GroupSleep sleep;
        using (_lock.EnterScope())
        {
            sleep = _sleep ?? new GroupSleep(this);
            Volatile.Write(ref _sleep, sleep);
        }

        // A full fence between the sleep and the last look: pairs with those of publications, with the one in BeginGroupWait, and with the
        // addition in Completed.
        Chaos.Point("WorkGroup.FallAsleep, known");
        Interlocked.Exchange(ref _awaited, 1);
        Chaos.Point("WorkGroup.FallAsleep, awaited");
        return sleep;
    }
}
