using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What is compiled ahead is the same assembly as the one for all platforms, with machine code added.</summary>
public sealed class CompiledAheadTests(PackageFeed feed)
{
    // What the format adds to the machine for another system than Windows.
    private static readonly Dictionary<string, int> s_machines = new()
    {
        ["win-x64"] = 0x8664,
        ["linux-x64"] = 0x8664 ^ 0x7B79,
        ["linux-arm64"] = 0xAA64 ^ 0x7B79,
    };

    public static TheoryData<string> Ids() => new(PackageFeed.Ids.Where(static id => NativePlatforms.CompiledAhead(id).Length > 0));

    [Theory]
    [MemberData(nameof(Ids))]
    public void EachIsTheSameAssembly_WithCodeForItsPlatform(string id)
    {
        using PackageFile package = feed.Open(id);
        byte[] plain = package.Read($"lib/net10.0/{id}.dll");
        Assert.False(HasCode(plain));
        Assert.All(NativePlatforms.CompiledAhead(id), entry =>
        {
            byte[] image = package.Read(entry);
            Assert.True(HasCode(image));
            Assert.Equal(ModuleOf(plain), ModuleOf(image)); // so symbols and references fit both
            Assert.Equal(s_machines[entry.Split('/')[1]], MachineOf(image));
        });
    }

    private static bool HasCode(byte[] assembly)
    {
        using var reader = new PEReader(new MemoryStream(assembly));
        return reader.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0;
    }

    private static int MachineOf(byte[] assembly)
    {
        using var reader = new PEReader(new MemoryStream(assembly));
        return (int)reader.PEHeaders.CoffHeader.Machine;
    }

    private static Guid ModuleOf(byte[] assembly)
    {
        using var reader = new PEReader(new MemoryStream(assembly));
        MetadataReader metadata = reader.GetMetadataReader();
        return metadata.GetGuid(metadata.GetModuleDefinition().Mvid);
    }
}
