using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Startup;

/// <summary>A copy of the program that is started, with the library as the packages have it for this platform: compiled ahead. Packing leaves
/// that behind.</summary>
internal sealed class PackagedProgram : IDisposable
{
    private static readonly string s_sources = typeof(PackagedProgram).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(static a => a.Key == "LibrarySources").Value!;

    private readonly DirectoryInfo _copy = Directory.CreateTempSubdirectory("nth-startup-");

    private PackagedProgram(string program, string[] images)
    {
        foreach (string file in Directory.GetFiles(Path.GetDirectoryName(program)!).Concat(images))
        {
            File.Copy(file, Path.Combine(_copy.FullName, Path.GetFileName(file)), overwrite: true);
        }

        Location = Path.Combine(_copy.FullName, Path.GetFileName(program));
    }

    public string Location { get; }

    /// <summary><see langword="null"/> where nothing has been packed from what <paramref name="program"/> runs.</summary>
    public static PackagedProgram? Of(string program)
    {
        string[] images =
        [
            .. Directory.GetFiles(Path.GetDirectoryName(program)!, "NativeThreading*.dll")
                .Select(static file => (File: file, Image: ImageOf(Path.GetFileNameWithoutExtension(file))))
                .Where(static pair => File.Exists(pair.Image) && ModuleOf(pair.Image) == ModuleOf(pair.File))
                .Select(static pair => pair.Image),
        ];
        return images.Any(static image => Path.GetFileName(image) == "NativeThreading.dll") ? new PackagedProgram(program, images) : null;
    }

    public void Dispose() => _copy.Delete(recursive: true);

    private static string ImageOf(string assembly) => Path.Combine(
        s_sources, assembly, "obj", "Release", "net10.0", "ahead", RuntimeInformation.RuntimeIdentifier, $"{assembly}.dll");

    /// <summary>Equal for an assembly and what was compiled of it.</summary>
    private static Guid ModuleOf(string assembly)
    {
        using var reader = new PEReader(File.OpenRead(assembly));
        MetadataReader metadata = reader.GetMetadataReader();
        return metadata.GetGuid(metadata.GetModuleDefinition().Mvid);
    }
}
