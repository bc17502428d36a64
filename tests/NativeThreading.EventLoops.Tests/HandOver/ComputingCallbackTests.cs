using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A callback that computes: another thread takes over the loop if its options allow that, and no other loop.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.KernelsEvidence)]
public sealed class ComputingCallbackTests() : HandOverTest(whenComputing: true)
{
    [Fact]
    public async Task WhileACallbackComputes_TheLoopRunsOthers_AndTheCallbackIsNotInTheLoopAnyMore()
    {
        bool ran = false;
        var ended = new TaskCompletionSource<(bool Before, bool After)>(TaskCreationOptions.RunContinuationsAsynchronously);
        Loop.Post(
            _ =>
            {
                bool before = Loop.IsInLoop;
                ComputeUntil(() => Volatile.Read(ref ran));
                ended.SetResult((before, Loop.IsInLoop));
            },
            null);
        OnLoop(() => Volatile.Write(ref ran, true));

        Assert.Equal((true, false), await Deadline.For(ended.Task));
    }

    [Fact]
    public void EveryCallbackComputesUntilTheLoopHasRunAnother_AndAllEnd()
    {
        const int count = 8;
        using var all = new CountdownEvent(count);
        for (int i = 0; i < count; i++)
        {
            Loop.Post(
                _ =>
                {
                    Task other = Loop.InvokeAsync(static () => { });
                    ComputeUntil(() => other.IsCompleted);
                    all.Signal();
                },
                null);
        }

        Deadline.Wait(all);
    }

    [Fact]
    public async Task Timer_IsNeverCalledTwiceAtOnce_WhileItsCallComputes()
    {
        bool ran = false, wasTakenOver = false;
        int calls = 0, inside = 0, overlaps = 0;
        using var timer = new EventLoopTimer(
            Loop,
            _ =>
            {
                overlaps += Interlocked.Increment(ref inside) == 1 ? 0 : 1;
                Interlocked.Increment(ref calls);
                ComputeUntil(() => Volatile.Read(ref ran));
                wasTakenOver |= !Loop.IsInLoop;
                Interlocked.Decrement(ref inside);
            },
            null);
        timer.Arm(TimeSpan.Zero, TimeSpan.FromMilliseconds(1));
        Deadline.Until(() => Volatile.Read(ref calls) == 1);
        OnLoop(static () => { });
        OnLoop(static () => { });
        Volatile.Write(ref ran, true);
        Deadline.Until(() => Volatile.Read(ref calls) > 3);

        await Deadline.For(timer.DisposeAsync().AsTask());
        Assert.Equal(0, overlaps);
        Assert.True(wasTakenOver);
    }

    [Fact]
    public async Task LoopThatIsTakenOverFromBlockedCallbacksAlone_WaitsForOneThatComputes()
    {
        await using var loop = new EventLoop(new EventLoopOptions { Name = "blocked only", HandsOverWhenBlocked = true });
        bool hasReturned = false, stayed = false;
        loop.Post(
            _ =>
            {
                long until = Environment.TickCount64 + 50;
                ComputeUntil(() => Environment.TickCount64 >= until);
                stayed = loop.IsInLoop;
                Volatile.Write(ref hasReturned, true);
            },
            null);

        Assert.True(await Deadline.For(loop.InvokeAsync(() => Volatile.Read(ref hasReturned))));
        Assert.True(stayed);
    }
}
