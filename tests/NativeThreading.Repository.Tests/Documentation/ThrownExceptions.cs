using System.Xml.Linq;
using System.Xml.XPath;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// The exceptions that the members of a package throw themselves, as the sources show them: <c>throw</c> and <c>X.ThrowIfNull</c> in the body of the
/// member and in the methods of the package that this body calls and that are not public. A lambda is not part of the body that creates it.
/// </summary>
internal sealed class ThrownExceptions
{
    /// <summary>A public member calls another overload, which checks; longer chains are for the tests of the behaviour.</summary>
    private const int Depth = 2;

    /// <summary>Stands for the exceptions of a contract of another assembly.</summary>
    private const string Elsewhere = "*";

    private static readonly XElement s_elsewhere = new("member", new XElement("exception", new XAttribute("cref", $"T:{Elsewhere}")));

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview, preprocessorSymbols: ["NET9_0_OR_GREATER", "NET10_0_OR_GREATER", "NET10_0"]);

    private static readonly SyntaxTree s_usings = CSharpSyntaxTree.ParseText(
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """,
        s_options);

    private readonly CSharpCompilation _compilation;
    private readonly XmlDocumentation _documentation;
    private readonly Dictionary<SyntaxTree, SemanticModel> _models = [];

    public ThrownExceptions(string package, XmlDocumentation documentation)
    {
        _documentation = documentation;
        _compilation = CSharpCompilation.Create(
            package, // the name gives it the internals of the packages of which it is a friend
            [s_usings, .. SourceTree.Files($"src/{package}", "*.cs").Select(static file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), s_options, file))],
            XmlDocumentation.References.Where(reference => Path.GetFileNameWithoutExtension(reference.Display) != package),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    }

    /// <summary>The exceptions that a member throws.</summary>
    public string[] Of(ISymbol member) => member is not ITypeSymbol && InSource(member) is { } source ? [.. Thrown(source, Depth)] : [];

    /// <summary>Those of the exceptions that the documentation of the member does not name.</summary>
    public string[] Undocumented(ISymbol member, string[] exceptions)
    {
        if (exceptions.Length == 0)
        {
            return [];
        }

        string[] documented = [.. Expanded(InSource(member)!).Elements("exception").Select(static exception => exception.Attribute("cref")!.Value[2..])];
        return documented.Contains(Elsewhere) ? [] : [.. exceptions.Except(documented)];
    }

    private ISymbol? InSource(ISymbol member) => DocumentationCommentId.GetFirstSymbolForDeclarationId(member.GetDocumentationCommentId()!, _compilation);

    /// <summary>The documentation of a member, with that of the members to which it refers in place of each reference.</summary>
    private XElement Expanded(ISymbol member)
    {
        if (_documentation.Of(member) is not { } element)
        {
            return s_elsewhere;
        }

        var expanded = new XElement(element);
        foreach (XElement reference in expanded.Elements("inheritdoc").ToArray())
        {
            ISymbol? source = reference.Attribute("cref")?.Value is { } id ? DocumentationCommentId.GetFirstSymbolForDeclarationId(id, _compilation) : Base(member);
            XElement other = source is null ? s_elsewhere : Expanded(source);
            reference.ReplaceWith(other.XPathSelectElements($".{reference.Attribute("path")?.Value ?? "/*"}"));
        }

        return expanded;
    }

    /// <summary>The member of this package that a member overrides or implements.</summary>
    private static ISymbol? Base(ISymbol member)
    {
        ISymbol? overridden = member is IMethodSymbol method ? method.OverriddenMethod : (member as IPropertySymbol)?.OverriddenProperty;
        return overridden ?? member.ContainingType?.AllInterfaces.SelectMany(static contract => contract.GetMembers())
            .FirstOrDefault(contract => SymbolEqualityComparer.Default.Equals(member.ContainingType.FindImplementationForInterfaceMember(contract), member));
    }

    private IEnumerable<string> Thrown(ISymbol member, int depth) => member.DeclaringSyntaxReferences
        .SelectMany(static reference => reference.GetSyntax() is { } declaration and not BaseTypeDeclarationSyntax
            ? declaration.DescendantNodes(node => node == declaration || IsOfBody(node))
            : [])
        .SelectMany(node => Thrown(node, depth))
        .Distinct();

    /// <summary>Not of lambdas, which run later, nor of the initial value of a property, which the constructor computes.</summary>
    private static bool IsOfBody(SyntaxNode node) => node
        is not (AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or BaseTypeDeclarationSyntax or EqualsValueClauseSyntax { Parent: PropertyDeclarationSyntax });

    private IEnumerable<string> Thrown(SyntaxNode node, int depth)
    {
        if (node is not (ThrowStatementSyntax or ThrowExpressionSyntax or InvocationExpressionSyntax or ConstructorInitializerSyntax))
        {
            return [];
        }

        if (!_models.TryGetValue(node.SyntaxTree, out SemanticModel? model))
        {
            _models.Add(node.SyntaxTree, model = _compilation.GetSemanticModel(node.SyntaxTree));
        }

        switch (node)
        {
            case ThrowStatementSyntax { Expression: { } expression }:
                return Name(model.GetTypeInfo(expression).Type);
            case ThrowExpressionSyntax { Expression: { } expression }:
                return Name(model.GetTypeInfo(expression).Type);
            case InvocationExpressionSyntax or ConstructorInitializerSyntax when model.GetSymbolInfo(node).Symbol is IMethodSymbol called:
                return called.ContainingType.Name.EndsWith("Exception", StringComparison.Ordinal) && called.Name.StartsWith("ThrowIf", StringComparison.Ordinal)
                    ? Name(called.ContainingType)
                    : depth > 0 && called.DeclaredAccessibility != Accessibility.Public ? Thrown(called.OriginalDefinition, depth - 1) : [];
            default:
                return [];
        }
    }

    /// <summary>The name of an exception. An <see cref="Exception"/> is one that other code threw, and that the member passes on.</summary>
    private static IEnumerable<string> Name(ITypeSymbol? type) => type?.ToDisplayString() is { } name and not "System.Exception" ? [name] : [];
}
