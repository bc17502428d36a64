using NativeThreading.Workloads;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tests.KestrelCommand;

/// <summary>Scenarios are chosen by their names, and a wrong name measures nothing.</summary>
public sealed class ScenariosTests
{
    private static readonly IReadOnlyList<Scenario> s_all = Scenarios.All(idle: 10_000);

    [Fact]
    public void NamesAreDifferent() => Assert.Equal(s_all.Count, s_all.Select(static scenario => scenario.Name).Distinct().Count());

    [Theory]
    [InlineData("json/32,connect/32")]
    [InlineData("connect/32", "json/32")]
    [InlineData("json/32, ", "connect/32")]
    public void ChosenOnes_ComeInTheirOrder(params string[] names) =>
        Assert.Equal(["json/32", "connect/32"], Scenarios.Named(s_all, names).Select(static scenario => scenario.Name));

    [Fact]
    public void AllAreChosen_WhereNoneIsNamed() => Assert.Equal(s_all, Scenarios.Named(s_all, []));

    [Fact]
    public void UnknownName_IsAnErrorThatNamesTheKnownOnes()
    {
        var error = Assert.Throws<MeasurementException>(static () => Scenarios.Named(s_all, ["json/32,json/33", "nothing"]));
        Assert.StartsWith("no scenario is named json/33 or nothing; there are json/1, json/32,", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void IdleConnections_AreAsManyAsTheSystemAllows() =>
        Assert.Contains(Scenarios.All(idle: 4_000), static scenario => scenario.Name == "idle/4000" && scenario.Idles);
}
