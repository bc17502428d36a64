using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Content;

/// <summary>What an editor shows of the packages' members: all that users can see, and nothing else.</summary>
public sealed class DocumentationTests(PackageFeed feed)
{
    public static TheoryData<string, string> Assemblies() =>
        new(PackageFeed.Ids.SelectMany(static id => PackageFeed.FrameworksOf(id).Select(framework => (id, framework))));

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void OnlyVisibleMembers_AndAllOfThem(string id, string framework)
    {
        using PackageFile package = feed.Open(id);
        using var documentation = new MemoryStream(package.Read($"lib/{framework}/{id}.xml"));
        string[] documented = [.. XDocument.Load(documentation).Descendants("member").Select(member => WithoutParameters(member.Attribute("name")!.Value)).Distinct().Order(StringComparer.Ordinal)];

        using var assembly = new PEReader(new MemoryStream(package.Read($"lib/{framework}/{id}.dll")));
        MetadataReader metadata = assembly.GetMetadataReader();
        var visible = new HashSet<string>(StringComparer.Ordinal);
        foreach (TypeDefinition type in metadata.TypeDefinitions.Select(metadata.GetTypeDefinition).Where(type => IsVisible(metadata, type)))
        {
            Add(metadata, type, visible);
        }

        Assert.Empty(documented.Except(visible));
        Assert.NotEmpty(documented);

        // Every type and property has words of its own, but those that the compiler made.
        Assert.Empty(visible.Where(name => name[0] is 'T' or 'P' && !name.Contains('<', StringComparison.Ordinal)).Except(documented));
    }

    [Fact]
    public void AMethodKeepsItsText()
    {
        using PackageFile package = feed.Open("NativeThreading");
        using var documentation = new MemoryStream(package.Read("lib/net10.0/NativeThreading.xml"));
        XElement method = XDocument.Load(documentation).Descendants("member")
            .Single(member => member.Attribute("name")!.Value == "M:NativeThreading.NativeThreadPool.ShutdownAsync(System.Threading.CancellationToken)");
        Assert.NotNull(method.Element("summary"));
        Assert.Single(method.Elements("param"));
    }

    private static void Add(MetadataReader metadata, TypeDefinition type, HashSet<string> visible)
    {
        string name = NameOf(metadata, type);
        visible.Add($"T:{name}");
        foreach (MethodDefinition method in type.GetMethods().Select(metadata.GetMethodDefinition).Where(method => IsVisible(method.Attributes)))
        {
            visible.Add($"M:{name}.{metadata.GetString(method.Name).Replace('.', '#')}");
        }

        foreach (PropertyDefinition property in type.GetProperties().Select(metadata.GetPropertyDefinition))
        {
            PropertyAccessors accessors = property.GetAccessors();
            if (new[] { accessors.Getter, accessors.Setter }.Any(accessor => !accessor.IsNil && IsVisible(metadata.GetMethodDefinition(accessor).Attributes)))
            {
                visible.Add($"P:{name}.{metadata.GetString(property.Name)}");
            }
        }

        foreach (FieldDefinition field in type.GetFields().Select(metadata.GetFieldDefinition).Where(field => IsVisible((MethodAttributes)field.Attributes)))
        {
            visible.Add($"F:{name}.{metadata.GetString(field.Name)}");
        }
    }

    private static bool IsVisible(MetadataReader metadata, TypeDefinition type) => (type.Attributes & TypeAttributes.VisibilityMask) switch
    {
        TypeAttributes.Public => true,
        TypeAttributes.NestedPublic or TypeAttributes.NestedFamily => IsVisible(metadata, metadata.GetTypeDefinition(type.GetDeclaringType())),
        _ => false,
    };

    private static bool IsVisible(MethodAttributes attributes) =>
        (attributes & MethodAttributes.MemberAccessMask) is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;

    private static string NameOf(MetadataReader metadata, TypeDefinition type)
    {
        string name = metadata.GetString(type.Name);
        return type.GetDeclaringType() is { IsNil: false } outer ? $"{NameOf(metadata, metadata.GetTypeDefinition(outer))}.{name}"
            : type.Namespace.IsNil ? name
            : $"{metadata.GetString(type.Namespace)}.{name}";
    }

    /// <summary>Without parameters, and without the number of a method's type parameters.</summary>
    private static string WithoutParameters(string name)
    {
        name = name.Split('(')[0];
        return name[0] == 'M' ? name.Split("``")[0] : name;
    }
}
