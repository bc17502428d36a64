using System.Buffers.Binary;
using System.Text;
using NativeThreading.Packaging.Tests.Support;

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

        // A gallery knows no files beside this one.
        Assert.DoesNotContain("](docs/", text, StringComparison.Ordinal);
        Assert.DoesNotContain("](../", text, StringComparison.Ordinal);
    }

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
            || (dependency.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal) && notices.Contains("Microsoft.Extensions.*", StringComparison.Ordinal)),
            dependency));
    }
}
