using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Waiting for the moment of release races that moment: nobody waits for ever, and nobody is told early.</summary>
public sealed class LoopReleaseTests
{
    [Fact]
    public async Task Waiters_AreToldWhenItHappens_AndNotBefore()
    {
        var release = new LoopRelease();
        Task[] waiting = [release.WaitAsync().AsTask(), release.WaitAsync().AsTask()];
        Assert.False(release.HasHappened);
        Assert.DoesNotContain(waiting, task => task.IsCompleted);

        release.Happened();

        Assert.True(release.HasHappened);
        await Deadline.For(Task.WhenAll(waiting));
        Assert.True(release.WaitAsync().AsTask().IsCompletedSuccessfully);
    }

    [Fact]
    public void T1_WaitingWhileItHappens_AlwaysEnds()
    {
        const int rounds = 20_000;
        LoopRelease[] releases = [.. Enumerable.Range(0, rounds).Select(_ => new LoopRelease())];
        var waits = new Task[2, rounds];
        using var step = new Barrier(3);
        StartGate.Run(3, thread =>
        {
            for (int i = 0; i < rounds; i++)
            {
                if (i % 64 == 0)
                {
                    Assert.True(step.SignalAndWait(Deadline.Time));
                }

                if (thread == 2)
                {
                    releases[i].Happened();
                }
                else
                {
                    waits[thread, i] = releases[i].WaitAsync().AsTask();
                }
            }
        });

        Deadline.Wait(Task.WhenAll(waits.Cast<Task>()));
    }
}
