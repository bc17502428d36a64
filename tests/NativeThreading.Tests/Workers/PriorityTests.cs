using System.Globalization;
using System.Runtime.InteropServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Workers;

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
}
