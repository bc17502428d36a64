using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Timers;

/// <summary>
/// Soak: four threads and the loop arm, cancel and arm anew at random, and each timer is held against its model: never
/// early, never twice, never after a cancellation that the loop has come to.
/// </summary>
public sealed class TimerModelTests : TimerTest
{
    private const int Timers = 24;

    [Fact]
    public void RandomArmingAndCancelling_AgreesWithTheModel()
    {
        foreach (int round in Budget.Rounds)
        {
            var budget = Budget.Of(300);
            ModelledTimer[] timers = [.. Enumerable.Range(0, Timers).Select(_ => new ModelledTimer(Loop))];
            var onLoop = new Random(round);
            void StepOnLoop(object? state)
            {
                ModelledTimer timer = timers[onLoop.Next(Timers)];
                if (onLoop.Next(3) == 0)
                {
                    timer.TryOnLoop(static timer => timer.Cancel());
                }
                else
                {
                    TimeSpan due = RandomDue(onLoop);
                    timer.TryOnLoop(timer => timer.Arm(due));
                }

                if (budget.HasTime)
                {
                    Loop.Post(StepOnLoop, null);
                }
            }

            Loop.Post(StepOnLoop, null);
            StartGate.Run(4, thread =>
            {
                var random = new Random((round * 4) + thread + 1_000);
                while (budget.HasTime)
                {
                    ModelledTimer timer = timers[random.Next(Timers)];
                    switch (random.Next(16))
                    {
                        case 0:
                            timer.CancelAndSync(PassTurn);
                            break;
                        case <= 4:
                            timer.Cancel();
                            break;
                        default:
                            timer.Arm(RandomDue(random));
                            break;
                    }
                }
            });
            foreach (ModelledTimer timer in timers)
            {
                timer.CancelAndSync(PassTurn);
                timer.Dispose();
                Assert.NotEqual(0, timer.Fired);
            }
        }
    }

    private static TimeSpan RandomDue(Random random) =>
        random.Next(8) == 0 ? Hour : TimeSpan.FromMicroseconds(random.Next(random.Next(2) == 0 ? 3 : 2_000));
}
