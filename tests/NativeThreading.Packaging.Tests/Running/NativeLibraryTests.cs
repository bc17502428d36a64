using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T93, T94, T96: a program made from the package, on a machine where the native library is not what it should be. It runs on the managed
/// core and is warned once, or is refused where it asked for the native one.</summary>
public sealed class NativeLibraryTests(PackageFeed feed, PortableProgram portable) : IClassFixture<PortableProgram>
{
    private const string Variable = "NATIVETHREADING_CORE";

    [Fact]
    public async Task T93_Missing()
    {
        PublishedProgram program = (await portable.PublishAsync()).Copy();
        File.Delete(program.NativeLibrary(NativePlatforms.Own));
        await AssertUnusableAsync(program, "was not found", "Searched: ", "Reference the NativeThreading package", program.NativeLibrary(NativePlatforms.Own));
    }

    [Fact]
    public async Task T93_Corrupt()
    {
        PublishedProgram program = (await portable.PublishAsync()).Copy();
        await File.WriteAllTextAsync(program.NativeLibrary(NativePlatforms.Own), "not a library");
        await AssertUnusableAsync(program, "was found, but cannot be used", $"Found: {program.NativeLibrary(NativePlatforms.Own)}", "Replace it");
    }

    [Fact]
    public async Task T93_OtherAbiVersion()
    {
        Requirement.Program("gcc");
        PublishedProgram program = (await portable.PublishAsync()).Copy();
        string source = Path.Combine(program.Location, "other.c");
        await File.WriteAllTextAsync(source, "int nth_abi_version(void) { return 999; }");
        CommandLine.Result compiled = await CommandLine.RunAsync(
            "gcc", ["-shared", "-fPIC", "-o", program.NativeLibrary(NativePlatforms.Own), source], program.Location, TimeSpan.FromMinutes(1));
        Assert.True(compiled.ExitCode == 0, compiled.ToString());

        await AssertUnusableAsync(program, "has ABI version 999, but this assembly needs ");
    }

    /// <summary>As after a deployment of the wrong one, of another processor, C library or system: it is rejected, and not half at work.</summary>
    [Theory]
    [InlineData("linux-arm64")]
    [InlineData("linux-musl-x64")]
    [InlineData("win-x64")]
    public async Task T96_LibraryOfAnotherPlatform(string platform)
    {
        Assert.SkipUnless(NativePlatforms.Expected.Contains(platform), $"Needs {NativePlatforms.Compilers[platform]}.");
        PublishedProgram program = (await portable.PublishAsync()).Copy();
        File.Copy(program.NativeLibrary(platform), program.NativeLibrary(NativePlatforms.Own), overwrite: true);
        await AssertUnusableAsync(program, "was found, but cannot be used", $"Found: {program.NativeLibrary(NativePlatforms.Own)}", "Replace it");
    }

    /// <summary>
    /// A program published for a platform the package does not know gets no native library; the host gets the same
    /// identifier, so such a machine would report the same.
    /// </summary>
    [Fact]
    public async Task T93_T96_UnsupportedPlatform()
    {
        const string rid = "linux-riscv64";
        PublishedProgram program = await new Consumer(feed, "Console").PublishAsync(
            $"RuntimeIdentifier={rid}", "SelfContained=false", "UseAppHost=false", "NoWarn=NTH0003");
        Assert.Empty(program.NativeLibraries);

        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(package.Platforms, AssertRunsManaged(await program.RunWithDotNetAsync(rid), rid, "was not found", $", not for {rid}."));
        Assert.Equal(package.Platforms, AssertRefused(await program.RunWithDotNetAsync(rid, "native"), rid, "was not found", $", not for {rid}."));
    }

    [Fact]
    public async Task T94_HostedProgram_WithoutALibrary_WritesOneWarningIntoItsLog()
    {
        PublishedProgram program = (await new Consumer(feed, "Hosted").PublishAsync()).Copy();
        File.Delete(program.NativeLibrary(NativePlatforms.Own));
        CommandLine.Result result = await program.RunWithAsync("Logging__LogLevel__Default", "Warning", "2");
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Single(Regex.Matches(result.Output, "run on the managed core, because the native core cannot be used"));
        Assert.Contains("run: reports", result.Output, StringComparison.Ordinal);
    }

    private static async Task AssertUnusableAsync(PublishedProgram program, params string[] parts)
    {
        AssertRunsManaged(await program.RunAsync(), NativePlatforms.Own, parts);
        AssertRefused(await program.RunWithAsync(Variable, "native"), NativePlatforms.Own, [.. parts, $"{Variable}=native"]);
    }

    private static string[] AssertRefused(CommandLine.Result result, string rid, params string[] parts)
    {
        Assert.True(result.ExitCode == ConsoleProgram.Refused, result.ToString());
        return AssertSays(result.Output, rid, parts);
    }

    private static string[] AssertRunsManaged(CommandLine.Result result, string rid, params string[] parts)
    {
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains("items: True", result.Output, StringComparison.Ordinal);
        Assert.Contains("loop: 42", result.Output, StringComparison.Ordinal);
        Assert.Contains("core: Managed", result.Output, StringComparison.Ordinal);
        return AssertSays(Assert.Single(Regex.Matches(result.Error, "NativeCoreUnusable: .*")).Value, rid, parts);
    }

    /// <summary>Returns the platforms that the message says the package holds, in order.</summary>
    private static string[] AssertSays(string message, string rid, string[] parts)
    {
        Assert.All((string[])[.. parts, $" for {rid}"], part => Assert.Contains(part, message, StringComparison.Ordinal));
        string held = Regex.Match(message, @"The package holds it for ([a-z0-9, -]+?)(, not for|\.)").Groups[1].Value;
        return [.. held.Split(", ").Order(StringComparer.Ordinal)];
    }
}

/// <summary>One portable program for all tests that only damage it.</summary>
public sealed class PortableProgram(PackageFeed feed)
{
    private Task<PublishedProgram>? _published;

    internal Task<PublishedProgram> PublishAsync() => _published ??= new Consumer(feed, "Console").PublishAsync();
}
