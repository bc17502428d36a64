using NativeThreading.Instrumentation;
using NativeThreading.Simulation;
using NativeThreading.Workloads.Scale;

namespace NativeThreading.Tests.Simulation;

/// <summary>The simulation of many processors is the same every time, and loses no item.</summary>
public sealed class SimulationTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(16)]
    public void EveryItemIsExecutedOnce(int workers)
    {
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            Outcome outcome = new Plan(shape, workers).Simulate();
            long items = ScalePlan.Items(shape, workers);
            Assert.Equal(items, outcome.Executed);
            Assert.Equal(Of(outcome, Counted.Ticket), Of(outcome, Counted.ShardTake));
            Assert.Equal(items, Of(outcome, Counted.Ticket) + Of(outcome, Counted.DequePush) + Of(outcome, Counted.LanePush));
        }
    }

    [Fact]
    public void SamePlan_HasTheSameOutcome()
    {
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            var plan = new Plan(shape, 8);
            Outcome first = plan.Simulate();
            Outcome second = plan.Simulate();
            Assert.Equal(first.Nanoseconds, second.Nanoseconds);
            Assert.Equal(first.Counts, second.Counts);
            Assert.Equal(first.Lost, second.Lost);
        }
    }

    [Fact]
    public void AnotherSeed_HasAnother() => Assert.NotEqual(
        new Plan(ScaleShape.Service, 8, Seed: 1).Simulate().Nanoseconds,
        new Plan(ScaleShape.Service, 8, Seed: 12345).Simulate().Nanoseconds);

    [Fact]
    public void SlowerLines_AreNotFaster()
    {
        foreach (ScaleShape shape in ScalePlan.Shapes)
        {
            double fast = new Plan(shape, 16, Transfer: 20).Simulate().MillionsPerSecond;
            double slow = new Plan(shape, 16, Transfer: 400).Simulate().MillionsPerSecond;
            Assert.True(slow < fast, $"{shape}: {slow} of {fast}");
        }
    }

    private static long Of(Outcome outcome, Counted what) => outcome.Counts[(int)what];
}
