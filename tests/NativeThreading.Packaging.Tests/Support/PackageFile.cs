using System.IO.Compression;
using System.Xml.Linq;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>A package as a reader finds it.</summary>
internal sealed class PackageFile(string path) : IDisposable
{
    private readonly ZipArchive _archive = ZipFile.OpenRead(path);

    /// <summary>What a person put there: the bookkeeping of the format is left out.</summary>
    public string[] Entries =>
    [
        .. _archive.Entries.Select(entry => entry.FullName)
            .Where(name => name != "[Content_Types].xml" && !name.StartsWith("_rels/", StringComparison.Ordinal) && !name.StartsWith("package/", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal),
    ];

    public XElement Metadata
    {
        get
        {
            using var nuspec = new MemoryStream(Read(Entries.Single(name => name.EndsWith(".nuspec", StringComparison.Ordinal))));
            XElement metadata = XDocument.Load(nuspec).Root!.Elements().Single(element => element.Name.LocalName == "metadata");
            foreach (XElement element in metadata.DescendantsAndSelf())
            {
                element.Name = element.Name.LocalName;
            }

            return metadata;
        }
    }

    /// <summary>"id version" of each dependency, for each target framework.</summary>
    public Dictionary<string, string[]> Dependencies => Metadata.Element("dependencies")!.Elements("group").ToDictionary(
        group => group.Attribute("targetFramework")!.Value,
        group => group.Elements().Select(dependency => $"{dependency.Attribute("id")!.Value} {dependency.Attribute("version")!.Value}").ToArray());

    /// <summary>The platforms with a native library.</summary>
    public string[] Platforms =>
        [.. Entries.Where(name => name.StartsWith("runtimes/", StringComparison.Ordinal) && name.Contains("/native/", StringComparison.Ordinal)).Select(name => name.Split('/')[1]).Distinct()];

    public byte[] Read(string entry)
    {
        using Stream stream = _archive.GetEntry(entry)!.Open();
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }

    public void Dispose() => _archive.Dispose();
}
