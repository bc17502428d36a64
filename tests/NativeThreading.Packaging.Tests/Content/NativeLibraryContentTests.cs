using System.Buffers.Binary;
using System.Text;
using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>T96: under each platform's name lies a library for that processor and that C library.</summary>
public sealed partial class NativeLibraryContentTests(PackageFeed feed)
{
    /// <summary>Older than any that .NET runs on. The library is linked against a newer one: native/src/prim/linux_old_glibc.h.</summary>
    private static readonly Version s_newestC = new(2, 17);

    private static readonly Dictionary<string, int> s_processors = new() { ["x64"] = 62, ["arm64"] = 183 };
    private static readonly Dictionary<string, int> s_windowsProcessors = new() { ["x64"] = 0x8664 };

    [Fact]
    public void T96_EachIsForItsProcessor()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.NotEmpty(package.Platforms);
        Assert.All(package.Platforms, platform =>
        {
            byte[] library = Library(package, platform);
            if (IsWindows(platform))
            {
                int header = BinaryPrimitives.ReadInt32LittleEndian(library.AsSpan(0x3C));
                Assert.Equal("PE\0\0"u8.ToArray(), library[header..(header + 4)]);
                Assert.Equal(s_windowsProcessors[platform.Split('-')[^1]], BinaryPrimitives.ReadUInt16LittleEndian(library.AsSpan(header + 4)));
                return;
            }

            Assert.Equal("\u007fELF\u0002"u8.ToArray(), library[..5]);
            Assert.Equal(s_processors[platform.Split('-')[^1]], BinaryPrimitives.ReadUInt16LittleEndian(library.AsSpan(18)));
        });
    }

    [Fact]
    public void T96_MuslsDoesNotAskForGlibc_AndTheOthersOnLinuxForNoNewerOneThanStated()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.All(package.Platforms, platform =>
        {
            Version[] asked = [.. GlibcVersion().Matches(Encoding.Latin1.GetString(Library(package, platform))).Select(match => Version.Parse(match.Groups[1].Value))];
            if (platform.Contains("musl", StringComparison.Ordinal) || IsWindows(platform))
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

    /// <summary>On arm64 NuGet takes the library for glibc on musl, too. There a function that is missing is noticed by the call: the process
    /// dies.</summary>
    [Fact]
    public void T96_NoneOnLinux_AsksForAFunctionThatMuslLacks()
    {
        const string musl = "/lib/ld-musl-x86_64.so.1";
        Requirement.File(musl);
        var there = new ElfSymbols(File.ReadAllBytes(musl));
        Assert.Contains("pthread_create", there.Has);
        using PackageFile package = feed.Open("NativeThreading");
        Assert.All(package.Platforms.Where(platform => !IsWindows(platform)), platform =>
        {
            var library = new ElfSymbols(Library(package, platform));
            Assert.Contains("pthread_create", library.Wants);
            Assert.Empty(library.Wants.Except(there.Has));
        });
    }

    private static byte[] Library(PackageFile package, string platform) =>
        package.Read(NativePlatforms.Library(platform));

    private static bool IsWindows(string platform) => platform.StartsWith("win-", StringComparison.Ordinal);

    [GeneratedRegex(@"GLIBC_(\d+\.\d+(\.\d+)?)\0")]
    private static partial Regex GlibcVersion();
}
