using System.Net.Sockets;
using System.Reflection;
using NativeThreading.Processes.Tests.Native;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Interop;

/// <summary>Native memory and descriptors that cannot be had, request by request, with the shipped native library.</summary>
[Trait("Category", "Fault")]
[NeedsNativeCore(NeedsNativeCoreAttribute.Library)]
public sealed class ScarcityTests(NativeTestPrograms programs) : IClassFixture<NativeTestPrograms>
{
    [Fact]
    public Task EachNativeAllocationThatFails_IsThrownByTheCallThatNeededIt() => SystemFaults.AssertSucceedsAsync(programs, NoMemory);

    [Fact]
    public Task NoMemoryForATimerThatAnotherThreadArmed_IsTheLoopsHandlersToKnow_AndTheLoopGoesOn() =>
        SystemFaults.AssertSucceedsAsync(programs, NoMemoryForATimer);

    [Fact]
    public Task EachDescriptorThatIsRefused_IsThrownWithItsErrno() => SystemFaults.AssertSucceedsAsync(programs, NoDescriptor);

    [Fact]
    public async Task DescriptorsUsedUp_WhatExistsGoesOn_BlockedWorkersAreFound_AndWhoNeedsMoreIsTold()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(DescriptorsUsedUp);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int NoMemory()
    {
        var faults = new SystemFaults();
        Mixture.Round();
        return RefuseEach<OutOfMemoryException>(faults, SystemFaults.NoMemory, least: 10);
    }

    private static int NoDescriptor()
    {
        var faults = new SystemFaults();
        Mixture.Round();
        foreach (int fault in (int[])[SystemFaults.NoDescriptor, SystemFaults.NoWatch])
        {
            InvalidOperationException exception = Assert.Throws<InvalidOperationException>(() =>
            {
                faults.Set(fault, 1);
                using var loop = new EventLoop();
            });
            Assert.Contains(fault == SystemFaults.NoWatch ? "errno 28" : "errno 24", exception.Message, StringComparison.Ordinal);
        }

        return RefuseEach<InvalidOperationException>(faults, SystemFaults.NoDescriptor, least: 2)
            | RefuseEach<InvalidOperationException>(faults, SystemFaults.NoWatch, least: 2);
    }

    /// <summary>All that asks for something, with its n-th request refused, for each n that there is; and once more without.</summary>
    private static int RefuseEach<TException>(SystemFaults faults, int fault, int least)
        where TException : Exception
    {
        for (int n = 1; ; n++)
        {
            faults.Set(fault, n);
            Exception? thrown = Record.Exception(AskForEverything);
            long made = faults.Made(fault);
            faults.End(fault);
            if (thrown is not null)
            {
                Assert.IsAssignableFrom<TException>(thrown);
            }

            AskForEverything();
            if (made == 0)
            {
                Assert.Null(thrown);
                Assert.True(n > least, $"{n - 1} requests");
                return 0;
            }
        }
    }

    private static void AskForEverything()
    {
        using var semaphore = new LifoSemaphore(1);
        semaphore.Wait();
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "scarce", MaxThreads = 2, MinThreads = 2 });
        int ran = 0;
        pool.StartMinThreads();
        for (int i = 0; i < 10; i++)
        {
            pool.UnsafeQueueUserWorkItem(_ => Interlocked.Increment(ref ran), null);
        }

        using var loop = new EventLoop(new EventLoopOptions { Name = "scarce" });
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using (loop.Register(socket.SafeHandle, EventLoopInterest.Read, static (_, _) => { }, null))
        {
            int fired = 0;
            Deadline.Result(loop.InvokeAsync(() =>
            {
                var timers = new List<EventLoopTimer>();
                for (int i = 0; i < 70; i++)
                {
                    var timer = new EventLoopTimer(loop, _ => fired++, null);
                    timers.Add(timer);
                    timer.Arm(TimeSpan.Zero);
                }

                return timers;
            }));
            Deadline.Until(() => Volatile.Read(ref fired) == 70);
        }

        Deadline.Until(() => Volatile.Read(ref ran) == 10);
    }

    private static int NoMemoryForATimer()
    {
        var faults = new SystemFaults();
        Exception? told = null;
        using var loop = new EventLoop(new EventLoopOptions
        {
            UnhandledException = exception =>
            {
                told = exception;
                return true;
            },
        });
        int fired = 0;
        var timer = new EventLoopTimer(loop, _ => fired++, null);
        faults.Set(SystemFaults.NoMemory, 1, period: 1);
        timer.Arm(TimeSpan.Zero);
        loop.Call(static () => { });
        faults.End(SystemFaults.NoMemory);
        Assert.IsAssignableFrom<OutOfMemoryException>(told);
        Assert.Equal((0, false), (fired, timer.IsArmed));
        timer.Arm(TimeSpan.Zero);
        Deadline.Until(() => Volatile.Read(ref fired) == 1);
        return 0;
    }

    /// <summary>ulimit -n, at the limit.</summary>
    private static int DescriptorsUsedUp()
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "before" });
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "before", MaxThreads = 1 });
        int fired = 0;
        var timer = new EventLoopTimer(loop, _ => fired++, null);
        Heal(pool); // what a first use opens is open, and a thread in reserve
        LoadReferences(typeof(ScarcityTests).Assembly, typeof(Assert).Assembly, typeof(NativeThreadPool).Assembly);
        using (ResourceLimit.NoMoreFiles())
        {
            loop.Call(static () => { });
            timer.Arm(TimeSpan.FromMilliseconds(1));
            Deadline.Until(() => Volatile.Read(ref fired) == 1);
            loop.Register(socket.SafeHandle, EventLoopInterest.Read, static (_, _) => { }, null).Dispose(); // needs no new one
            Heal(pool);
            using (var starting = new NativeThreadPool())
            {
                // The runtime needs descriptors for a thread.
                Assert.ThrowsAny<OutOfMemoryException>(() => starting.UnsafeQueueUserWorkItem(static _ => { }, null));
                Assert.Equal((0L, 0), (starting.PendingWorkItemCount, starting.ThreadCount));
            }

            InvalidOperationException refused = Assert.Throws<InvalidOperationException>(static () => new EventLoop());
            Assert.Contains("errno 24", refused.Message, StringComparison.Ordinal);
        }

        Mixture.Round();
        return 0;
    }

    /// <summary>An assembly that is loaded when it is first needed takes a descriptor.</summary>
    private static void LoadReferences(params Assembly[] assemblies)
    {
        foreach (AssemblyName name in assemblies.SelectMany(static assembly => assembly.GetReferencedAssemblies()))
        {
            Assembly.Load(name);
        }
    }

    /// <summary>The pool's one worker waits for the item behind it, and is found, whatever can be read of its state.</summary>
    private static void Heal(NativeThreadPool pool)
    {
        using (new BlockedWorkers(pool, 1))
        {
            pool.OnWorker(static () => { });
        }
    }
}
