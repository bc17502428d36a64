using System.Buffers.Binary;
using System.Text;
using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>T96: under each platform's name lies a library for that processor and that C library.</summary>
public sealed partial class NativeLibraryContentTests(PackageFeed feed)
{
    /// <summary>Debian 12's, which it is built on, since the threads' functions moved into the C library itself.</summary>
    private static readonly Version s_newestC = new(2, 34);

    private static readonly Dictionary<string, int> s_processors = new() { ["x64"] = 62, ["arm64"] = 183 };

    [Fact]
    public void T96_EachIsForItsProcessor()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.NotEmpty(package.Platforms);
        Assert.All(package.Platforms, platform =>
        {
            byte[] library = Library(package, platform);
            Assert.Equal("\u007fELF\u0002"u8.ToArray(), library[..5]);
            Assert.Equal(s_processors[platform.Split('-')[^1]], BinaryPrimitives.ReadUInt16LittleEndian(library.AsSpan(18)));
        });
    }

    [Fact]
    public void T96_MuslsDoesNotAskForGlibc_AndTheOthersForNoNewerOneThanStated()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.All(package.Platforms, platform =>
        {
            Version[] asked = [.. GlibcVersion().Matches(Encoding.Latin1.GetString(Library(package, platform))).Select(match => Version.Parse(match.Groups[1].Value))];
            if (platform.Contains("musl", StringComparison.Ordinal))
            {
                Assert.Empty(asked);
            }
            else
            {
                Assert.InRange(asked.Max()!, new Version(2, 2), s_newestC);
            }
        });
        Assert.Contains($"glibc {s_newestC}", Encoding.UTF8.GetString(package.Read("README.md")), StringComparison.Ordinal);
    }

    private static byte[] Library(PackageFile package, string platform) =>
        package.Read($"runtimes/{platform}/native/{PublishedProgram.NativeLibraryName}");

    [GeneratedRegex(@"GLIBC_(\d+\.\d+(\.\d+)?)\0")]
    private static partial Regex GlibcVersion();
}
