using System.Buffers.Binary;
using System.Text;
using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What a gallery shows of a package.</summary>
public sealed class ReadmeTests(PackageFeed feed)
{
    public static TheoryData<string> Ids() => new(PackageFeed.Ids);

    [Theory]
    [MemberData(nameof(Ids))]
    public void Readme_IsThePackagesOwn_AndShort(string id)
    {
        using PackageFile package = feed.Open(id);
        string text = Encoding.UTF8.GetString(package.Read("README.md"));

        Assert.StartsWith($"# {id}\n", text, StringComparison.Ordinal);
        Assert.Contains($"dotnet add package {id}\n", text, StringComparison.Ordinal);
        Assert.InRange(text.Split('\n').Length, 10, 80);

        // A gallery knows no other file of the repository.
        Assert.DoesNotContain("](docs/", text, StringComparison.Ordinal);
        Assert.DoesNotContain("](../", text, StringComparison.Ordinal);
    }

    [Fact]
    public void T96_ReadmeOfTheCore_ListsThePlatformsThatAreInside()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(package.Platforms.Order(StringComparer.Ordinal), Listed(package));
    }

    /// <summary>As on a machine without that compiler.</summary>
    [Fact]
    public async Task T96_WithoutACompiler_ThePlatformIsNeitherInsideNorListed()
    {
        Assert.SkipUnless(NativePlatforms.Expected.Contains("linux-musl-x64"), $"Needs {NativePlatforms.Compilers["linux-musl-x64"]}.");
        (CommandLine.Result result, string file) = await feed.PackAgainAsync("LinuxMuslX64Compiler=/nowhere/musl-gcc");
        Assert.True(result.ExitCode == 0, result.ToString());
        Assert.Contains("no native library for linux-musl-x64: /nowhere/musl-gcc is missing", result.Output, StringComparison.Ordinal);

        using var package = new PackageFile(file);
        string[] left = [.. NativePlatforms.Expected.Where(platform => platform != "linux-musl-x64")];
        Assert.Equal(left, package.Platforms.Order(StringComparer.Ordinal));
        Assert.Equal(left, Listed(package));
    }

    private static IEnumerable<string> Listed(PackageFile package) =>
        Regex.Matches(Encoding.UTF8.GetString(package.Read("README.md")), "^- `([a-z0-9-]+)`", RegexOptions.Multiline)
            .Select(match => match.Groups[1].Value)
            .Order(StringComparer.Ordinal);

    [Theory]
    [MemberData(nameof(Ids))]
    public void Icon_Is128By128(string id)
    {
        using PackageFile package = feed.Open(id);
        ReadOnlySpan<byte> png = package.Read("icon.png");
        Assert.Equal("\x89PNG\r\n\x1a\n"u8[^7..].ToArray(), png[1..8].ToArray());
        Assert.Equal(128, BinaryPrimitives.ReadInt32BigEndian(png[16..]));
        Assert.Equal(128, BinaryPrimitives.ReadInt32BigEndian(png[20..]));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Notices_NameEveryDependency(string id)
    {
        using PackageFile package = feed.Open(id);
        string notices = Encoding.UTF8.GetString(package.Read("THIRD-PARTY-NOTICES.txt"));
        Assert.All(package.Dependencies.Values.SelectMany(of => of), dependency => Assert.True(
            dependency.StartsWith("NativeThreading", StringComparison.Ordinal)
            || notices.Contains(dependency.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal) ? "Microsoft.Extensions.*" : $"on {dependency.Split(' ')[0]}:", StringComparison.Ordinal),
            dependency));
    }
}
