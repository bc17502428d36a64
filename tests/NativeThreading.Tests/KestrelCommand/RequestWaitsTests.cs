using NativeThreading.Workloads.Http;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>The time for which a server stood still counts once, however many requests waited in it.</summary>
public sealed class RequestWaitsTests
{
    [Fact]
    public void Stalls_AreTheUnionOfLongWaits()
    {
        var waits = new RequestWaits();
        Add(waits, 0, 1);
        Add(waits, 10, 30);
        Add(waits, 20, 40);
        Add(waits, 15, 25);
        Add(waits, 60, 65); // as long as is allowed
        Add(waits, 70, 90);

        Assert.Equal(0.5, waits.Stalled(TimeSpan.FromMilliseconds(100)), 6);
        Assert.Equal(0.5, HttpLoadResult.Parse(waits.Line(TimeSpan.FromMilliseconds(100))).Stalled, 6);
    }

    [Fact]
    public void WithoutRequests_NothingStalls() => Assert.Equal(0, new RequestWaits().Stalled(TimeSpan.FromSeconds(1)));

    private static void Add(RequestWaits waits, double due, double answered) =>
        waits.Add(TimeSpan.FromMilliseconds(due), TimeSpan.FromMilliseconds(answered));
}
