using System.Globalization;
using System.Runtime.InteropServices;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>The priority of a pool's threads is their nice value on Linux; a refusal is reported.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Priorities)]
[NeedsSystem(NeedsSystemAttribute.Linux)]
public sealed partial class PriorityTests
{
    [Theory]
    [InlineData(ThreadPriority.Lowest, 15)]
    [InlineData(ThreadPriority.BelowNormal, 5)]
    [InlineData(ThreadPriority.Normal, 0)]
    public void PriorityThatAnybodyMayHave_IsApplied(ThreadPriority priority, int nice)
    {
        int before = Nice();
        using NativeThreadPool pool = WithPriority(priority);
        int expected = priority == ThreadPriority.Normal ? before : nice;
        Assert.Equal(expected, pool.OnWorker(Nice));
        Assert.Equal(expected, Deadline.Result(pool.Factory.StartNew(Nice, TaskCreationOptions.LongRunning)));
        Assert.Equal(before, Nice());
    }

    [Theory]
    [InlineData(ThreadPriority.AboveNormal, -5)]
    [InlineData(ThreadPriority.Highest, -10)]
    public void PriorityThatNeedsARight_IsAppliedOrItsRefusalReported(ThreadPriority priority, int nice)
    {
        using var log = new EventLog();
        using NativeThreadPool pool = WithPriority(priority);
        int applied = pool.OnWorker(Nice);
        if (applied == nice)
        {
            Assert.Empty(log.Of("PriorityRefused", pool.Name));
        }
        else
        {
            Assert.Equal(Nice(), applied);
            Assert.Equal(nice, log.WaitFor("PriorityRefused", pool.Name).Payload![1]);
        }
    }

    [Fact]
    public async Task RefusedPriority_IsReportedOnceAndThePoolWorks()
    {
        // In a child that has given up the right to raise priorities.
        ChildProcess.Result child = await ChildProcess.RunAsync(RunWithoutTheRight);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Fact]
    public void T58_PriorityStaysAsItWasSet_AfterParking()
    {
        using NativeThreadPool pool = WithPriority(ThreadPriority.BelowNormal);
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(5, pool.OnWorker(Nice));
            pool.WaitUntilQuiet();
        }
    }

    /// <summary>A new thread inherits the nice value of the thread that starts it, and may not lower it without a privilege.</summary>
    [Fact]
    public async Task ThreadOfANormalPool_InheritsNothingOfTheLowPriorityThreadThatStartsIt()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(StartFromALowPriorityWorker);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Fact]
    public async Task WhereNoThreadHasTheProcesssPriority_TheLogSaysSoOnce()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(StartTheFirstPoolFromALowPriorityThread);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    [Fact]
    public async Task AffinitySignalMaskAndTimerSlack_AreNotInherited()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(StartFromAPinnedThread);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    /// <summary>The monitor starts a thread for a worker of low priority, which waits for the start. An interrupt does not end that wait.</summary>
    [Fact]
    public void InterruptedWorkerOfLowPriority_StartsThreads_AndDisposesOfItsPool()
    {
        using var other = new NativeThreadPool(new NativeThreadPoolOptions { Name = "of-normal-priority", MaxThreads = 1 });
        var low = new NativeThreadPool(new NativeThreadPoolOptions
        {
            Name = "disposed-by-an-interrupted-worker",
            ThreadPriority = ThreadPriority.Lowest,
            MaxThreads = 2,
        });
        using var entered = new ManualResetEventSlim();
        using var goes = new ManualResetEventSlim();
        using var ran = new ManualResetEventSlim();
        Task<bool> item = low.Run(
            () =>
            {
                entered.Set();
                Deadline.Wait(goes);
                Thread.CurrentThread.Interrupt();
                other.QueueUserWorkItem(_ => ran.Set());
                low.Dispose(); // resumes the pool, which needs a second thread for the held item
                return Interruption.Drop();
            },
            CancellationToken.None);
        Deadline.Wait(entered);
        low.Pause();
        Task held = low.Run(static () => { }, CancellationToken.None);
        goes.Set();
        Assert.True(Deadline.Result(item), "the interrupt stays pending");
        Deadline.Wait(held);
        Deadline.Wait(ran);
        Deadline.Wait(low.ShutdownAsync(CancellationToken.None));
    }

    private static int StartFromALowPriorityWorker()
    {
        DropCapabilities();
        using var log = new EventLog();
        using NativeThreadPool low = WithPriority(ThreadPriority.Lowest);
        using NativeThreadPool normal = Pools.WithThreads(2, "normal");
        int own = Nice();
        int starter = int.MinValue, worker = int.MinValue, longRunning = int.MinValue, loop = int.MinValue;
        low.OnWorker(() =>
        {
            starter = Nice();
            worker = normal.OnWorker(Nice); // its first thread
            longRunning = Deadline.Result(normal.Factory.StartNew(Nice, TaskCreationOptions.LongRunning));
            using var events = new EventLoop();
            loop = Deadline.Result(events.InvokeAsync(Nice));
        });
        Console.WriteLine($"own {own}, starter {starter}, worker {worker}, long-running {longRunning}, loop {loop}");
        return (starter, worker, longRunning, loop) == (15, own, own, own) && log.Of("PriorityInherited").Count == 0 ? 0 : 1;
    }

    private static int StartTheFirstPoolFromALowPriorityThread()
    {
        DropCapabilities();
        using var log = new EventLog();
        int own = Nice();
        int worker = int.MinValue;
        var thread = new Thread(() =>
        {
            _ = setpriority(0, 0, own + 4);
            using NativeThreadPool pool = Pools.WithThreads(1, "first");
            worker = pool.OnWorker(Nice);
            using NativeThreadPool second = Pools.WithThreads(1, "second");
            second.OnWorker(static () => { });
        });
        thread.Start();
        Deadline.Join(thread);
        Console.WriteLine($"own {own}, worker {worker}, {log.Of("PriorityInherited").Count} events");
        return worker == own + 4 && log.Of("PriorityInherited").Count == 1 ? 0 : 1;
    }

    private static unsafe int StartFromAPinnedThread()
    {
        using NativeThreadPool first = Pools.WithThreads(1, "first");
        (int Slack, ulong Blocked, int Processors) of = first.OnWorker(Inherited), pinned = default, seen = default;
        var thread = new Thread(() =>
        {
            ulong one = 1;
            ulong* blocked = stackalloc ulong[16];
            new Span<ulong>(blocked, 16).Clear();
            *blocked = 1UL << 9; // SIGUSR1
            _ = sched_setaffinity(0, sizeof(ulong), &one);
            _ = pthread_sigmask(0, blocked, null);
            _ = prctl(29, 1_000_000, 0, 0, 0);
            pinned = Inherited();
            using NativeThreadPool second = Pools.WithThreads(1, "second");
            seen = second.OnWorker(Inherited);
        });
        thread.Start();
        Deadline.Join(thread);
        Console.WriteLine($"of {of}, pinned {pinned}, seen {seen}");
        return seen == of && pinned == (1_000_000, 1UL << 9, 1) ? 0 : 1;
    }

    /// <summary>Of the calling thread: its timer slack, its signal mask, and how many processors it may use.</summary>
    private static unsafe (int Slack, ulong Blocked, int Processors) Inherited()
    {
        ulong* blocked = stackalloc ulong[16];
        new Span<ulong>(blocked, 16).Clear();
        ulong* processors = stackalloc ulong[128];
        new Span<ulong>(processors, 128).Clear();
        _ = pthread_sigmask(0, null, blocked);
        _ = sched_getaffinity(0, 128 * sizeof(ulong), processors);
        int count = 0;
        foreach (ulong word in new ReadOnlySpan<ulong>(processors, 128))
        {
            count += System.Numerics.BitOperations.PopCount(word);
        }

        return (prctl(30, 0, 0, 0, 0), *blocked & ~(3UL << 31), count); // without the two that the C library uses itself
    }

    private static int RunWithoutTheRight()
    {
        DropCapabilities();
        using var log = new EventLog();
        using NativeThreadPool pool = WithPriority(ThreadPriority.Highest);
        int before = Nice();
        int seen = int.MinValue;
        using (new BlockedWorkers(pool, 2))
        {
            log.WaitFor("PriorityRefused", pool.Name);
        }

        seen = pool.OnWorker(Nice);
        IReadOnlyList<System.Diagnostics.Tracing.EventWrittenEventArgs> events = log.Of("PriorityRefused", pool.Name);
        Console.WriteLine($"nice {seen}, before {before}, {events.Count} events, {string.Join(", ", events[0].Payload!)}");
        return seen == before && events.Count == 1 && events[0].Payload![1] is -10 && events[0].Payload![2] is 1 or 13 ? 0 : 1;
    }

    private static NativeThreadPool WithPriority(ThreadPriority priority) => new(new NativeThreadPoolOptions
    {
        Name = $"priority-{priority}",
        MaxThreads = 2,
        MinThreads = 2,
        ThreadPriority = priority,
    });

    /// <summary>The calling thread's nice value: field 19 of its stat line, counted after the name, which may hold anything (T87).</summary>
    private static int Nice()
    {
        string stat = File.ReadAllText("/proc/thread-self/stat");
        return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[16], CultureInfo.InvariantCulture);
    }

    /// <summary>For the calling thread and those it starts.</summary>
    private static unsafe void DropCapabilities()
    {
        uint* header = stackalloc uint[] { 0x20080522, 0 }; // version 3, the calling thread
        uint* none = stackalloc uint[6];
        new Span<uint>(none, 6).Clear();
        if (capset(header, none) != 0)
        {
            throw new InvalidOperationException("capset failed");
        }
    }

    [LibraryImport("libc")]
    private static unsafe partial int capset(uint* header, uint* data);

    [LibraryImport("libc")]
    private static partial int setpriority(int which, int who, int nice);

    [LibraryImport("libc")]
    private static unsafe partial int sched_setaffinity(int thread, nuint size, ulong* mask);

    [LibraryImport("libc")]
    private static unsafe partial int sched_getaffinity(int thread, nuint size, ulong* mask);

    [LibraryImport("libc")]
    private static unsafe partial int pthread_sigmask(int how, ulong* set, ulong* before);

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint a, nuint b, nuint c, nuint d);
}
