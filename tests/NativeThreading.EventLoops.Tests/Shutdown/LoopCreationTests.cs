using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>What a loop takes from the system it gives back, also where it could not be made.</summary>
public sealed class LoopCreationTests
{
    private const string Name = "churned";

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public void AThousandLoops_LeaveNoThreadAndNoDescriptor()
    {
        int descriptors;
        using (new EventLoop())
        {
            descriptors = LoopThreads.OpenDescriptors();
            Assert.InRange(descriptors, 2, int.MaxValue); // else they are not found at all
        }

        for (int i = 0; i < 1_000; i++)
        {
            using var loop = new EventLoop(new EventLoopOptions { Name = Name });
            if (i % 2 == 0)
            {
                loop.UnsafePost(static _ => { }, null);
            }

            if (i % 5 == 0)
            {
                new EventLoopTimer(loop, static _ => { }, null).Arm(TimeSpan.FromHours(1));
            }
        }

        Deadline.Until(() => LoopThreads.Count(Name) == 0);
        Deadline.Until(() => LoopThreads.OpenDescriptors() <= descriptors - 2, "the descriptors are closed");
    }

    [Fact]
    public void ManyLoopsAtATime_AreIndependent()
    {
        EventLoop[] loops = [.. Enumerable.Range(0, 64).Select(_ => new EventLoop())];
        int sum = 0;
        foreach (EventLoop loop in loops)
        {
            loop.UnsafePost(_ => Interlocked.Add(ref sum, loop.IsInLoop ? 1 : 1_000), null);
        }

        Array.ForEach(loops, loop => loop.Dispose());
        Assert.Equal(64, sum);
    }

    [Fact]
    public void T44_WithoutAThread_TheConstructorThrowsAndLeavesNothing()
    {
        new EventLoop().Dispose();
        int descriptors = LoopThreads.OpenDescriptors();
        using (var starts = new FailingThreadStarts(Name))
        {
            for (int i = 0; i < 100; i++)
            {
                Assert.ThrowsAny<OutOfMemoryException>(() => new EventLoop(new EventLoopOptions { Name = Name }));
            }

            Assert.Equal(100, starts.Attempts);
        }

        Deadline.Until(() => LoopThreads.OpenDescriptors() <= descriptors, "the descriptors are closed");
        using var loop = new EventLoop(new EventLoopOptions { Name = Name });
        loop.Call(() => { });
    }

    [Fact]
    public void OptionsOutOfRange_AreNamed()
    {
        Assert.Throws<ArgumentNullException>("options", () => new EventLoop(null!));
        Assert.Throws<ArgumentException>("Name", () => new EventLoop(new EventLoopOptions { Name = " " }));
        Assert.Throws<ArgumentNullException>("Name", () => new EventLoop(new EventLoopOptions { Name = null! }));
        Assert.Throws<ArgumentOutOfRangeException>("ThreadPriority", () => new EventLoop(new EventLoopOptions { ThreadPriority = (ThreadPriority)9 }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxStackSize", () => new EventLoop(new EventLoopOptions { MaxStackSize = 1 }));
        Assert.Throws<ArgumentOutOfRangeException>("MaxStackSize", () => new EventLoop(new EventLoopOptions { MaxStackSize = -1 }));
    }

    [Fact]
    public void Options_AreCopied()
    {
        var options = new EventLoopOptions { Name = "before" };
        using var loop = new EventLoop(options);
        options.Name = "after";
        options.UnhandledException = _ => true;
        Assert.Equal(("before", "before"), (loop.Name, loop.Call(() => Thread.CurrentThread.Name)));
    }
}
