using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What a package has offered it keeps, for each framework, unless it is written down that it does not.</summary>
public sealed class CompatibilityTests(PackageFeed feed)
{
    [Fact, Trait("Category", "Long")]
    public async Task WhatBreaks_Fails_UntilItIsWrittenDown()
    {
        Requirement.Program("git");
        var repository = new TinyRepository(feed);
        repository.Offer("""
                /// <summary>Stays as it is.</summary>
                public static int Stays(int number) => number;

                /// <summary>Goes.</summary>
                public static int Goes() => 1;

                /// <summary>Keeps its name, but not that of its parameter.</summary>
                public static int Renames(int number) => number;
            """);
        await repository.CommitAsync();
        repository.Offer("""
                /// <summary>Stays as it is.</summary>
                public static int Stays(int number) => number;

                /// <summary>Keeps its name, but not that of its parameter.</summary>
                public static int Renames(int count) => count;

                /// <summary>Comes, and breaks nothing.</summary>
                public static int Comes() => 2;

            #if NET10_0_OR_GREATER
                /// <summary>Is missing for code that goes back from .NET 10.</summary>
                public static int OnlyHere() => 3;
            #endif
            """);
        await repository.CommitAsync();

        CommandLine.Result result = await repository.CompareAsync();
        Assert.True(result.ExitCode == 1, result.ToString());
        string[] errors = [.. result.Output.Split('\n').Where(static line => line.StartsWith("error ", StringComparison.Ordinal))];
        Assert.Collection(
            errors.Order(StringComparer.Ordinal),
            static error => Assert.Contains("'int Tiny.Offer.Goes()' exists on [Baseline] lib/net10.0/Tiny.dll", error, StringComparison.Ordinal),
            static error => Assert.Contains("'int Tiny.Offer.Goes()' exists on [Baseline] lib/net9.0/Tiny.dll", error, StringComparison.Ordinal),
            static error => Assert.Contains("'int Tiny.Offer.OnlyHere()' exists on lib/net10.0/Tiny.dll but not on lib/net9.0/Tiny.dll", error, StringComparison.Ordinal),
            static error => Assert.Contains("'Tiny.Offer.Renames(int)' changed from 'number' to 'count'", error, StringComparison.Ordinal));
        Assert.Contains(".ci/compatibility --write-down", result.Output, StringComparison.Ordinal);

        result = await repository.CompareAsync("--write-down");
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains("src/Tiny/CompatibilitySuppressions.xml", result.Output, StringComparison.Ordinal);

        result = await repository.CompareAsync();
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains("Tiny: compatible", result.Output, StringComparison.Ordinal);
    }
}
