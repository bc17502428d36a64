using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Packing;

/// <summary>
/// The documentation of what users of an assembly can see. The compiler writes down that of every member, and an editor
/// would offer it all.
/// </summary>
internal static class PublicDocumentation
{
    public static void Write(string assembly, string source, string destination)
    {
        // References are not needed: identifiers name types, and do not look at them.
        PortableExecutableReference reference = MetadataReference.CreateFromFile(assembly);
        var visible = new HashSet<string>(StringComparer.Ordinal);
        Add(((IAssemblySymbol)CSharpCompilation.Create("Packing", references: [reference]).GetAssemblyOrModuleSymbol(reference)!).GlobalNamespace, visible);

        XDocument document = XDocument.Load(source, LoadOptions.PreserveWhitespace);
        foreach (XElement member in document.Descendants("member").Where(member => !visible.Contains(member.Attribute("name")!.Value)).ToArray())
        {
            (member.PreviousNode as XText)?.Remove();
            member.Remove();
        }

        document.Save(destination, SaveOptions.DisableFormatting);
    }

    private static void Add(INamespaceOrTypeSymbol container, HashSet<string> visible)
    {
        foreach (ISymbol member in container.GetMembers())
        {
            if (member is INamespaceSymbol inner)
            {
                Add(inner, visible);
            }
            else if (member.DeclaredAccessibility is Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal)
            {
                visible.Add(member.GetDocumentationCommentId()!);
                if (member is INamedTypeSymbol type)
                {
                    Add(type, visible);
                }
            }
        }
    }
}
