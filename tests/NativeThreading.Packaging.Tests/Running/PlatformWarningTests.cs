using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T96: a program that is built for a platform without a native library is warned of while it is built.</summary>
public sealed class PlatformWarningTests(PackageFeed feed)
{
    private const string Unknown = "linux-riscv64";

    private static readonly string[] s_tolerant =
        [$"RuntimeIdentifier={Unknown}", "SelfContained=false", "UseAppHost=false", "TreatWarningsAsErrors=false", "MSBuildTreatWarningsAsErrors=false"];

    [Theory]
    [InlineData("Console", "publish")]
    [InlineData("Console", "build")]
    [InlineData("Hosted", "publish")] // knows the core by way of another package only
    public async Task T96_OtherPlatform_IsWarnedOf_Once(string consumer, string command)
    {
        CommandLine.Result result = await new Consumer(feed, consumer).TryAsync(command, s_tolerant);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        string warning = Assert.Single(Regex.Matches(result.Output, "warning NTH0003: .*").Select(match => match.Value).Distinct());
        Assert.Contains($"{consumer} is built for {Unknown}", warning, StringComparison.Ordinal);
        Assert.Equal(
            NativePlatforms.Expected,
            Regex.Match(warning, @"has it for ([a-z0-9, -]+)\.").Groups[1].Value.Split(", ").Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task T94_OtherPlatform_IsBuiltAlsoWhereWarningsAreErrors()
    {
        CommandLine.Result result = await new Consumer(feed, "Console").TryAsync("build", s_tolerant[..3]);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains("warning NTH0003", result.Output, StringComparison.Ordinal);
    }

    /// <summary>A distribution's own name is no other platform, and a program for all of them carries all.</summary>
    [Theory]
    [InlineData("RuntimeIdentifier=linux-musl-x64")]
    [InlineData("RuntimeIdentifier=")]
    public async Task T96_PlatformsThatAreThere_AreNot(string platform)
    {
        CommandLine.Result result = await new Consumer(feed, "Console").TryAsync("build", [platform, .. s_tolerant[1..]]);
        Requirement.Restorable(result.Output);
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.DoesNotContain("NTH0003", result.Output, StringComparison.Ordinal);
    }
}
