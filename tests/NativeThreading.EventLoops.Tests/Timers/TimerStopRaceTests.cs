using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>Threads at the timers of a loop that stops under them.</summary>
public sealed class TimerStopRaceTests
{
    [Fact]
    public void ThreadsThatArmWhileTheLoopStops_AreRefused_AndNothingHangs()
    {
        foreach (int round in Soak.Repeat(50))
        {
            var loop = new EventLoop(new EventLoopOptions { Name = "stops" });
            EventLoopTimer[] timers = [.. Enumerable.Range(0, 3).Select(_ => new EventLoopTimer(loop, static _ => { }, null))];
            StartGate.Run(4, thread =>
            {
                if (thread == 3)
                {
                    Thread.SpinWait(round * 40);
                    Deadline.Wait(loop.ShutdownAsync(new CancellationToken(canceled: round % 2 == 0)));
                    return;
                }

                try
                {
                    for (int i = 0; i < 1_000_000; i++)
                    {
                        timers[thread].Arm(TimeSpan.FromMicroseconds(i % 20));
                        timers[(thread + 1) % 3].Cancel();
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The loop shuts down.
                }
            });
            Array.ForEach(timers, static timer => timer.Dispose());
            Deadline.Wait(loop.ShutdownAsync(CancellationToken.None));
            Assert.All(timers, static timer => Assert.False(timer.IsArmed));
        }
    }
}
