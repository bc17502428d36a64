using System.Diagnostics;
using System.Reflection;
using NativeThreading.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>What a debugger shows of a pool, a group, a loop and a semaphore, made as it makes it: by the attribute.</summary>
public sealed class DebugViewTests
{
    [Fact]
    public void Pool_ShowsItsThreadsWithWhatTheyDo_AndWhatWaits()
    {
        using var queued = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = Pools.WithThreads(2, "shown");
        using (new BlockedWorkers(pool, 1))
        {
            pool.QueueUserWorkItem(
                _ =>
                {
                    pool.QueueUserWorkItem(Callbacks.Local, "local", preferLocal: true);
                    queued.Set();
                    Assert.True(release.Wait(Deadline.Time));
                },
                0,
                preferLocal: false);
            Deadline.Wait(queued);
            pool.QueueUserWorkItem(Callbacks.Outside, "outside", preferLocal: false);

            object view = View(pool);
            Assert.Equal("shown", Read(view, "Name"));
            Assert.Equal("running", Read(view, "State"));
            object[] threads = [.. (IEnumerable<object>)Read(view, "Threads")!];
            Assert.Equal(["shown-worker-0", "shown-worker-1"], threads.Select(thread => (string)Read(thread, "Name")!).Order(StringComparer.Ordinal));
            Assert.All(threads, thread => Assert.Contains(Read(thread, "State"), (object[])[WorkerState.Running, WorkerState.Blocked]));
            Assert.All(threads, thread => Assert.True(((Thread)Read(thread, "Thread")!).IsAlive));
            Assert.Equal([(nameof(Callbacks.Local), "local")], threads.SelectMany(Items));
            Assert.Equal([(nameof(Callbacks.Outside), "outside")], Items(view, "ItemsFromOutside"));
            release.Set();
        }

        pool.WaitUntilQuiet();
        Deadline.Until(() => ((IEnumerable<object>)Read(View(pool), "Threads")!).All(thread => Read(thread, "State") is WorkerState.Parked), "all threads are shown as parked");
    }

    /// <summary>Of all queues, without a lock, and without raw items that have a task as their state.</summary>
    [Fact]
    public void Scheduler_ShowsTheTasksThatWait()
    {
        using var queued = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        using NativeThreadPool pool = Pools.WithThreads(1);
        var cancelled = new CancellationTokenSource();
        Task? local = null;
        Task runs = pool.Run(() =>
        {
            local = pool.Run(Nothing);
            queued.Set();
            Assert.True(release.Wait(Deadline.Time));
        });
        Deadline.Wait(queued);
        Task outside = pool.Run(Nothing);
        pool.Run(Nothing, cancelled.Token);
        pool.QueueUserWorkItem(static _ => { }, Task.CompletedTask, preferLocal: false);
        cancelled.Cancel();

        Assert.Equal([outside, local!], (IEnumerable<Task>)pool.Scheduler.GetType()
            .GetMethod("GetScheduledTasks", BindingFlags.Instance | BindingFlags.NonPublic)!.Invoke(pool.Scheduler, null)!);
        release.Set();
        Deadline.Wait(runs);

        static void Nothing()
        {
        }
    }

    [Fact]
    public void Pool_ShowsARegionAndAGroupThatIsWaitedFor()
    {
        using NativeThreadPool pool = Pools.WithThreads(2);
        var group = new WorkGroup(pool);
        using var release = new ManualResetEventSlim();
        group.Queue(
            _ =>
            {
                using (NativeThreadPool.EnterBlockingRegion())
                {
                    release.Wait(Deadline.Time);
                }
            },
            0);
        Deadline.Until(() => States(pool).Contains(WorkerState.InBlockingRegion));
        Task waits = pool.Run(group.Wait);
        Deadline.Until(() => States(pool).Contains(WorkerState.WaitingForGroup));
        release.Set();
        Deadline.Wait(waits);
    }

    [Fact]
    public void Group_ShowsWhatWaitsOfIt_AndWhatFailed()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        var group = new WorkGroup(pool);
        using (new BlockedWorkers(pool, 1))
        {
            group.QueueRange(Callbacks.Outside, ["a", "b"]);
            pool.QueueUserWorkItem(Callbacks.Local, "of nobody", preferLocal: false);

            Assert.Equal(2L, Read(View(group), "PendingCount"));
            Assert.Equal([(nameof(Callbacks.Outside), "a"), (nameof(Callbacks.Outside), "b")], Items(View(group), "WaitingItems"));
        }

        group.Queue(static _ => throw new FormatException("shown"), 0);
        Deadline.Until(() => Read(View(group), "PendingCount") is 0L, "the group is done");
        Assert.Equal(["shown"], ((Exception[])Read(View(group), "Exceptions")!).Select(exception => exception.Message));
        Assert.Throws<FormatException>(group.Wait);
    }

    [Fact]
    public void Loop_ShowsWhatWasPosted_AndItsTimers()
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "shown" });
        Deadline.Wait(loop.InvokeAsync(() => _ = loop.TimeProvider.CreateTimer(static _ => { }, null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan)));
        Deadline.Until(() => ((object[])Read(View(loop), "Timers")!).Length == 1, "the timer is shown");
        using (new OccupiedLoop(loop))
        {
            loop.UnsafePost(Callbacks.Posted, "posted");
            object view = View(loop);
            Assert.Equal("shown", Read(view, "Name"));
            Assert.Equal("running", Read(view, "State"));
            Assert.Equal("shown", ((Thread)Read(view, "Thread")!).Name);
            Assert.Equal([(nameof(Callbacks.Posted), "posted")], Items(view, "PendingCallbacks"));
        }
    }

    [Fact]
    public void Semaphore_ShowsPermitsAndWaiters_AndThatItWasDisposed()
    {
        var semaphore = new LifoSemaphore(3);
        Assert.Equal(3, Read(View(semaphore), "CurrentCount"));
        Assert.Equal(0, Read(View(semaphore), "WaiterCount"));

        semaphore.Dispose();
        Assert.Equal(true, Read(View(semaphore), "IsDisposed"));
        Assert.Equal(0, Read(View(semaphore), "CurrentCount"));
        Assert.Equal(0, Read(View(semaphore), "WaiterCount"));
    }

    /// <summary>In a stopped program the thread that would let go of a lock does not run.</summary>
    [Fact]
    public void NoLockIsNeeded()
    {
        using NativeThreadPool pool = Pools.WithThreads(1);
        using var loop = new EventLoop();
        var group = new WorkGroup(pool);
        object[] shown = [pool, loop, group];
        using (new BlockedWorkers(pool, 1))
        using (new OccupiedLoop(loop))
        {
            group.Queue(static _ => { }, 0);
            loop.UnsafePost(static _ => { }, null);

            Lock[] locks = [.. shown.SelectMany(Locks)];
            Assert.True(locks.Length > 4, $"{locks.Length} locks found");
            Array.ForEach(locks, taken => taken.Enter());
            try
            {
                var reader = new Thread(() => Array.ForEach(shown, each => ReadAll(View(each))));
                reader.Start();
                Deadline.Join(reader);
            }
            finally
            {
                Array.ForEach(locks, taken => taken.Exit());
            }
        }
    }

    private static IEnumerable<WorkerState> States(NativeThreadPool pool) =>
        ((IEnumerable<object>)Read(View(pool), "Threads")!).Select(thread => (WorkerState)Read(thread, "State")!);

    private static object View(object shown)
    {
        Type type = Type.GetType(shown.GetType().GetCustomAttribute<DebuggerTypeProxyAttribute>()!.ProxyTypeName, throwOnError: true)!;
        return Activator.CreateInstance(type, shown)!;
    }

    private static object? Read(object view, string property) => view.GetType().GetProperty(property)!.GetValue(view);

    private static IEnumerable<(string Callback, object? State)> Items(object view) => Items(view, "PendingItems");

    private static IEnumerable<(string Callback, object? State)> Items(object view, string property) =>
        ((IEnumerable<object>)Read(view, property)!).Select(item => (((Delegate)Read(item, "Callback")!).Method.Name, Read(item, "State")));

    private static void ReadAll(object view)
    {
        foreach (PropertyInfo property in view.GetType().GetProperties())
        {
            object? value = property.GetValue(view);
            foreach (object each in value as object[] ?? [])
            {
                if (each.GetType().Namespace == "NativeThreading.Diagnostics")
                {
                    ReadAll(each);
                }
            }
        }
    }

    /// <summary>Those of an object, and of the parts of the library it is made of.</summary>
    private static IEnumerable<Lock> Locks(object root)
    {
        var seen = new HashSet<object>(ReferenceEqualityComparer.Instance);
        var left = new Stack<object>([root]);
        while (left.TryPop(out object? each))
        {
            if (each is Lock found)
            {
                yield return found; // of an UninterruptedLock
            }
            else if (each.GetType() is var type && (type.Namespace?.StartsWith("NativeThreading", StringComparison.Ordinal) == true || type.IsArray) && seen.Add(each))
            {
                IEnumerable<object?> parts = each is object?[] array
                    ? array
                    : type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
                        .Where(field => !field.FieldType.IsPointer && (!field.FieldType.IsValueType || field.FieldType == typeof(UninterruptedLock)))
                        .Select(field => field.GetValue(each));
                foreach (object part in parts.OfType<object>())
                {
                    left.Push(part);
                }
            }
        }
    }

    private static class Callbacks
    {
        public static void Local(string state) => Assert.NotNull(state);

        public static void Outside(string state) => Assert.NotNull(state);

        public static void Posted(object? state) => Assert.NotNull(state);
    }
}
