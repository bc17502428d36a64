using NativeThreading.Diagnostics;
using NativeThreading.EventLoops.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Tracing;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>
/// All that can be known without a debugger: what each track is at, every pool with its word, queues and workers, every loop,
/// every thread.
/// </summary>
internal static class HangReport
{
    private const int MostItems = 8;

    public static void Write(TextWriter output, SoakRun soak)
    {
        output.WriteLine($"seed {soak.Options.Seed}");
        foreach (string line in soak.Deadlines.Describe())
        {
            output.WriteLine($"track {line}");
        }

        foreach (NativeThreadPool pool in PoolRegistry.Pools.Where(static pool => !pool.IsStopped || pool.ThreadCount != 0))
        {
            Write(output, pool);
        }

        foreach (EventLoop loop in soak.Loops.Running.Append(soak.Bystander))
        {
            var view = new LoopView(loop);
            output.WriteLine($"loop {view.Name}: {view.State}, thread {view.Thread?.ManagedThreadId} {view.Thread?.ThreadState}, "
                + $"pending {view.PendingCallbackCount}, ran elsewhere {view.RanElsewhereCount}, {loop.Stats}");
            Write(output, view.PendingCallbacks);
        }

        foreach (string line in ThreadList.Describe())
        {
            output.WriteLine($"thread {line}");
        }
    }

    private static void Write(TextWriter output, NativeThreadPool pool)
    {
        var view = new PoolView(pool);
        ulong word = pool.Signal.Word;
        output.WriteLine($"pool {view.Name}: {view.State}, word {word:X16} (requested {(word & SignalWord.Requested) != 0}, "
            + $"lingering {(word & SignalWord.Lingering) != 0}, sentinel {(word & SignalWord.Sentinel) != 0}, "
            + $"growable {(word & SignalWord.Growable) != 0}, unmonitored {(word & SignalWord.Unmonitored) != 0}, "
            + $"idle {WorkerSignal.IdleCount(word)}, request {WorkerSignal.Age(word).TotalMilliseconds:0} ms old)");
        output.WriteLine($"  {view.Limits}; threads {pool.ThreadCount}, reserve {pool.State.ReserveCount}, blocked {pool.BlockedThreadCount}, "
            + $"long {pool.LongRunningThreadCount}, pending {view.PendingWorkItemCount}, completed {pool.CompletedWorkItemCount}, "
            + $"open operation {pool.OpenOperations.FindOne()?.Id.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "none"}, "
            + $"ran elsewhere {view.RanElsewhereCount}, abandoned {pool.AbandonedWorkItemCount}, wakes {pool.WakeCount}, "
            + $"repairs {pool.RepairCount}, {view.QueueLimit ?? "no limit"}, waiters {pool.Permits?.WaiterCount ?? 0}");
        Write(output, view.ItemsFromOutside);
        foreach (WorkerView worker in view.Threads)
        {
            output.WriteLine($"  worker {worker.Name}: {worker.State}, thread {worker.Thread?.ManagedThreadId} {worker.Thread?.ThreadState}, "
                + $"completed {worker.CompletedItemCount}, pending {worker.PendingItems.Length}");
            Write(output, worker.PendingItems);
        }
    }

    private static void Write(TextWriter output, PendingItemView[] items)
    {
        foreach (PendingItemView item in items.Take(MostItems))
        {
            output.WriteLine($"    item {item.Callback?.Method.DeclaringType?.Name}.{item.Callback?.Method.Name}, {item.State}");
        }
    }
}
