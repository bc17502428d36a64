using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>Nothing in a package tells where it was built.</summary>
public sealed class MachinePathTests(PackageFeed feed)
{
    private string[] OwnPaths =>
    [
        PackageFeed.RepositoryRoot.TrimEnd('/'),
        feed.Workspace,
        Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) + "/",
    ];

    public static TheoryData<string, string> Files() => new(PackageFeed.Ids.SelectMany(id => new[] { (id, "nupkg"), (id, "snupkg") }));

    [Theory]
    [MemberData(nameof(Files))]
    public void NoEntryHoldsAPathOfThisMachine(string id, string extension)
    {
        using PackageFile package = feed.Open(id, extension);
        Assert.NotEmpty(package.Entries);
        foreach (string entry in package.Entries)
        {
            byte[] content = package.Read(entry);
            Assert.All(OwnPaths, path =>
            {
                Assert.DoesNotContain(path, entry, StringComparison.Ordinal);
                Assert.False(Holds(content, Encoding.UTF8.GetBytes(path)), $"{entry} holds {path}");
                Assert.False(Holds(content, Encoding.Unicode.GetBytes(path)), $"{entry} holds {path}");
            });
        }
    }

    /// <summary>A pdb keeps paths in pieces, so that a search for the whole finds none.</summary>
    [Fact]
    public void SourcesAreNamedFromTheRoot()
    {
        int documents = 0;
        foreach (string id in PackageFeed.Ids)
        {
            using PackageFile package = feed.Open(id, "snupkg");
            foreach (string pdb in package.Entries.Where(entry => entry.EndsWith(".pdb", StringComparison.Ordinal)))
            {
                using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(package.Read(pdb)));
                MetadataReader reader = provider.GetMetadataReader();
                string[] names = [.. reader.Documents.Select(handle => reader.GetString(reader.GetDocument(handle).Name))];
                Assert.All(names, name => Assert.StartsWith("/_", name, StringComparison.Ordinal));
                documents += names.Length;
            }
        }

        Assert.True(documents > 100, $"{documents} documents");
    }

    [Fact]
    public void AssembliesAreDeterministic_AndKnowTheirPdbs()
    {
        foreach (string id in PackageFeed.Ids)
        {
            using PackageFile package = feed.Open(id), symbols = feed.Open(id, "snupkg");
            foreach (string dll in package.Entries.Where(IsAssembly))
            {
                using var reader = new PEReader(new MemoryStream(package.Read(dll)));
                DebugDirectoryEntry[] entries = [.. reader.ReadDebugDirectory()];
                Assert.Contains(entries, entry => entry.Type == DebugDirectoryEntryType.Reproducible);

                Guid expected = reader.ReadCodeViewDebugDirectoryData(entries.Single(entry => entry.Type == DebugDirectoryEntryType.CodeView)).Guid;
                using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(symbols.Read(Path.ChangeExtension(dll, ".pdb"))));
                Assert.Equal(expected, new BlobContentId(provider.GetMetadataReader().DebugMetadataHeader!.Id).Guid);
            }
        }
    }

    /// <summary>Windows' native library is a .dll, too.</summary>
    private static bool IsAssembly(string entry) =>
        entry.EndsWith(".dll", StringComparison.Ordinal) && !entry.StartsWith("runtimes/", StringComparison.Ordinal);

    private static bool Holds(ReadOnlySpan<byte> content, ReadOnlySpan<byte> path) => content.IndexOf(path) >= 0;
}
