using System.Buffers.Binary;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What a program that is compiled ahead is linked with: the functions that the assembly calls, and no name besides that could clash.</summary>
public sealed class NativeArchiveContentTests(PackageFeed feed)
{
    private const int Signature = 8;
    private const int Header = 60;

    [Fact]
    public void EveryLinuxPlatformHasOne()
    {
        using PackageFile package = feed.Open("NativeThreading");
        Assert.Equal(
            package.Platforms.Where(platform => platform.StartsWith("linux-", StringComparison.Ordinal)).Order(StringComparer.Ordinal),
            Archives(package).Select(entry => entry.Split('/')[1]));
    }

    [Fact]
    public void T96_ItHasWhatTheAssemblyCalls_AndOtherNamesOfItsOwnPrefixAlone()
    {
        using PackageFile package = feed.Open("NativeThreading");
        string[] called = [.. Called(package.Read("lib/net10.0/NativeThreading.dll"))];
        Assert.NotEmpty(called);
        Assert.All(Archives(package), entry =>
        {
            string[] names = Names(package.Read(entry));
            Assert.Empty(called.Except(names));
            Assert.All(names, name => Assert.Matches("^nth_[a-z]", name)); // nth__ is inside
        });
    }

    private static IEnumerable<string> Archives(PackageFile package) => package.Entries.Where(entry => entry.EndsWith(".a", StringComparison.Ordinal));

    /// <summary>The functions of the native library that an assembly declares.</summary>
    private static IEnumerable<string> Called(byte[] assembly)
    {
        using var reader = new PEReader(new MemoryStream(assembly));
        MetadataReader metadata = reader.GetMetadataReader();
        return
        [
            .. metadata.MethodDefinitions.Select(handle => metadata.GetMethodDefinition(handle).GetImport())
                .Where(import => !import.Module.IsNil && metadata.GetString(metadata.GetModuleReference(import.Module).Name) == "libnativethreading")
                .Select(import => metadata.GetString(import.Name)),
        ];
    }

    /// <summary>What a linker finds in an archive. Its first member is the list: how many names, where each is, and then the names.</summary>
    private static string[] Names(byte[] archive)
    {
        Assert.Equal("!<arch>\n", Encoding.ASCII.GetString(archive, 0, Signature));
        string header = Encoding.ASCII.GetString(archive, Signature, Header);
        Assert.StartsWith("/ ", header, StringComparison.Ordinal);

        ReadOnlySpan<byte> list = archive.AsSpan(Signature + Header, int.Parse(header[48..58], null));
        int count = BinaryPrimitives.ReadInt32BigEndian(list);
        return Encoding.ASCII.GetString(list[(4 + (4 * count))..]).Split('\0')[..count];
    }
}
