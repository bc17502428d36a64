using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What packages may lack that are only tried out, those of a release may not.</summary>
public sealed class ReleaseTests(PackageFeed feed)
{
    [Theory]
    [InlineData("")]
    [InlineData("github.com/somebody/nativethreading")]
    public async Task WithoutTheProjectsAddress_FailsAndSaysWhatToSet(string url)
    {
        (CommandLine.Result result, string package) = await feed.PackAgainAsync("ForRelease=true", $"ProjectUrl={url}");
        AssertFailedOnce(result, package, "error NTH0004: A release says where the project is at home: dotnet cake --target=Release --url=https://");
    }

    [Fact]
    public async Task T96_WithoutAPlatform_FailsAndSaysWhatToInstall()
    {
        (CommandLine.Result result, string package) = await feed.PackAgainAsync(
            "ForRelease=true", $"ProjectUrl={PackageFeed.ProjectUrl}", "LinuxMuslX64Compiler=/nowhere/musl-gcc");
        AssertFailedOnce(result, package, "error NTH0005: A release has the native library for every platform, but not for linux-musl-x64: /nowhere/musl-gcc is missing (apt-get install -y musl-tools).");
    }

    [Fact]
    public async Task WithEverything_IsMade()
    {
        Assert.SkipUnless(NativePlatforms.Expected.Length == NativePlatforms.Compilers.Count + 1, "Needs the compilers of all platforms.");
        (CommandLine.Result result, string package) = await feed.PackAgainAsync("ForRelease=true", $"ProjectUrl={PackageFeed.ProjectUrl}");
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.True(File.Exists(package), result.ToString());
    }

    private static void AssertFailedOnce(CommandLine.Result result, string package, string error)
    {
        Assert.True(result.ExitCode != 0, result.ToString());
        Assert.False(File.Exists(package));
        string[] errors = [.. result.Output.Split('\n').Where(line => line.Contains("error ", StringComparison.Ordinal)).Distinct()];
        Assert.Contains(error, Assert.Single(errors), StringComparison.Ordinal);
    }
}
