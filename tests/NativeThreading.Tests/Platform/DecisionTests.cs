using NativeThreading.Platform;

namespace NativeThreading.Tests.Platform;

/// <summary>Which core runs: what was asked for and what can be had.</summary>
public sealed class DecisionTests
{
    private const string Broken = "It is broken.";

    [Theory]
    [InlineData(null, null, ThreadingCore.Native)]
    [InlineData("", null, ThreadingCore.Native)]
    [InlineData("native", null, ThreadingCore.Native)]
    [InlineData("managed", null, ThreadingCore.Managed)]
    [InlineData(null, true, ThreadingCore.Managed)]
    [InlineData(null, false, ThreadingCore.Native)]
    [InlineData("native", true, ThreadingCore.Native)]
    [InlineData("managed", false, ThreadingCore.Managed)]
    public void WithALibrary_WhatWasAskedForRuns(string? variable, bool? managed, ThreadingCore core)
    {
        Decision decision = Decision.Make(variable, managed, static () => null);
        Assert.Equal((core, false, null), (decision.Core, decision.IsFallback, decision.Refusal));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public void T94_WithoutALibrary_TheManagedCoreRuns_AndSaysWhy(string? variable)
    {
        Decision decision = Decision.Make(variable, null, static () => Broken);
        Assert.Equal((ThreadingCore.Managed, true, null, Broken), (decision.Core, decision.IsFallback, decision.Refusal, decision.Reason));
    }

    [Theory]
    [InlineData("native", null)]
    [InlineData(null, false)]
    [InlineData("native", true)]
    public void T93_WithoutALibraryThatWasAskedFor_NothingRuns(string? variable, bool? managed)
    {
        Decision decision = Decision.Make(variable, managed, static () => Broken);
        Assert.Equal((ThreadingCore.Native, false), (decision.Core, decision.IsFallback));
        Assert.StartsWith(Broken, decision.Refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("managed", null)]
    [InlineData(null, true)]
    public void ManagedCore_LoadsNothing(string? variable, bool? managed) =>
        Assert.Null(Decision.Make(variable, managed, static () => throw new InvalidOperationException("The library was looked for.")).Refusal);

    [Theory]
    [InlineData("Native")]
    [InlineData("managed ")]
    [InlineData("1")]
    public void UnknownName_IsRefused(string variable) =>
        Assert.Contains($"'{variable}'", Decision.Make(variable, true, static () => null).Refusal!, StringComparison.Ordinal);
}
