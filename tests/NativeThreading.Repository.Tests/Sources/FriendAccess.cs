using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>The internals of one assembly that another one uses, as the compiler has recorded them in the other assembly.</summary>
internal static class FriendAccess
{
    /// <summary>The assemblies that may see the internals of an assembly.</summary>
    public static IEnumerable<string> FriendsOf(Assembly assembly) =>
        assembly.GetCustomAttributes<InternalsVisibleToAttribute>().Select(static friend => friend.AssemblyName);

    /// <summary>Internal types by their names, and internal members of public types as <c>Type.Member</c>, in alphabetical order.</summary>
    public static string[] Used(Assembly of, Assembly by)
    {
        using var file = new PEReader(File.OpenRead(by.Location));
        MetadataReader reader = file.GetMetadataReader();
        var used = new SortedSet<string>(StringComparer.Ordinal);
        foreach (TypeReferenceHandle handle in reader.TypeReferences)
        {
            if (TypeOf(reader, handle, of) is { IsVisible: false } type)
            {
                used.Add(type.Name);
            }
        }

        foreach (MemberReferenceHandle handle in reader.MemberReferences)
        {
            MemberReference reference = reader.GetMemberReference(handle);
            string name = reader.GetString(reference.Name);
            if (reference.Parent.Kind == HandleKind.TypeReference && TypeOf(reader, (TypeReferenceHandle)reference.Parent, of) is { IsVisible: true } type
                && type.GetMember(name, BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy).Length == 0)
            {
                used.Add($"{type.Name}.{name}");
            }
        }

        return [.. used];
    }

    private static Type? TypeOf(MetadataReader reader, TypeReferenceHandle handle, Assembly assembly)
    {
        TypeReference reference = reader.GetTypeReference(handle);
        string name = reader.GetString(reference.Name);
        return reference.ResolutionScope.Kind switch
        {
            HandleKind.TypeReference => TypeOf(reader, (TypeReferenceHandle)reference.ResolutionScope, assembly)
                ?.GetNestedType(name, BindingFlags.Public | BindingFlags.NonPublic),
            HandleKind.AssemblyReference when IsOf(reader, (AssemblyReferenceHandle)reference.ResolutionScope, assembly) =>
                assembly.GetType($"{reader.GetString(reference.Namespace)}.{name}", throwOnError: true),
            _ => null,
        };
    }

    private static bool IsOf(MetadataReader reader, AssemblyReferenceHandle handle, Assembly assembly) =>
        reader.GetString(reader.GetAssemblyReference(handle).Name) == assembly.GetName().Name;
}
