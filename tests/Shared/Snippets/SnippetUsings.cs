using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace NativeThreading.Tests.Snippets;

/// <summary>
/// Which namespaces a block of code needs. A block is a piece of a file that has more usings than the block shows; so the
/// compiler is asked what each name of it means, and where that is found.
/// </summary>
internal sealed class SnippetUsings
{
    /// <summary>What Microsoft.NET.Sdk adds with ImplicitUsings.</summary>
    private static readonly string[] s_implicit =
        ["System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading", "System.Threading.Tasks"];

    private readonly CSharpCompilation _compilation;

    /// <summary>Compiles this project's sources again, with what the tests run on.</summary>
    public SnippetUsings()
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: ["NET", "NET10_0_OR_GREATER"]);
        _compilation = CSharpCompilation.Create(
            typeof(SnippetUsings).Assembly.GetName().Name, // the name that internals are visible to
            File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "sources.txt"))
                .Select(file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), options, file)),
            ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
                .Where(file => Path.GetFileNameWithoutExtension(file) != typeof(SnippetUsings).Assembly.GetName().Name)
                .Select(file => MetadataReference.CreateFromFile(file)),
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
    }

    /// <summary>
    /// What the block needs and does not show, and what the compiler does not understand of it; <see langword="null"/> where
    /// the block stands in none of this project's files.
    /// </summary>
    public string[]? Missing(string block)
    {
        string[] lines = [.. DocumentationPages.LinesOf(block).Select(line => line.Text)];
        string[] shown = [.. lines.TakeWhile(IsDirective)];
        foreach (SyntaxTree tree in _compilation.SyntaxTrees.Where(tree => tree.FilePath.EndsWith("Snippets.cs", StringComparison.Ordinal)))
        {
            if (Find(tree, lines[shown.Length..]) is var (first, last))
            {
                SemanticModel model = _compilation.GetSemanticModel(tree);
                IEnumerable<string> errors = model.GetDiagnostics()
                    .Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error && IsWithin(diagnostic.Location))
                    .Select(diagnostic => diagnostic.ToString());
                IEnumerable<string> needed = tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>()
                    .Where(name => IsWithin(name.GetLocation()))
                    .Select(name => NamespaceOf(model, name))
                    .OfType<string>()
                    .Except(s_implicit)
                    .Select(name => $"using {name};")
                    .Except(shown);
                return [.. needed, .. errors];

                bool IsWithin(Location location) =>
                    location.GetLineSpan().StartLinePosition.Line is var line && line >= first && line <= last;
            }
        }

        return null;
    }

    private static bool IsDirective(string line) => line.StartsWith("using ", StringComparison.Ordinal) && line.IndexOfAny([' ', '=', '('], 6) < 0;

    /// <summary>The block's first and last line in the file.</summary>
    private static (int First, int Last)? Find(SyntaxTree tree, string[] block)
    {
        (string Text, int Line)[] file = DocumentationPages.LinesOf(tree.ToString());
        for (int start = 0; start + block.Length <= file.Length; start++)
        {
            if (file.Skip(start).Take(block.Length).Select(line => line.Text).SequenceEqual(block))
            {
                return (file[start].Line, file[start + block.Length - 1].Line);
            }
        }

        return null;
    }

    /// <summary>The namespace without which the name means nothing; <see langword="null"/> where it needs none.</summary>
    private string? NamespaceOf(SemanticModel model, SimpleNameSyntax name)
    {
        bool isQualified = name.Parent is QualifiedNameSyntax qualified && qualified.Right == name
            || name.Parent is MemberAccessExpressionSyntax access && access.Name == name
            || name.Parent is MemberBindingExpressionSyntax;
        ISymbol? symbol = model.GetSymbolInfo(name).Symbol;
        INamedTypeSymbol? type = symbol switch
        {
            IMethodSymbol { ReducedFrom: { } extension } => extension.ContainingType,
            { ContainingType: { IsExtension: true } extension } => extension.ContainingType,
            _ when isQualified || name.IsVar => null,
            IMethodSymbol { MethodKind: MethodKind.Constructor } constructor => constructor.ContainingType, // an attribute
            INamedTypeSymbol named => named,
            _ => null,
        };
        return type is null || type.IsTupleType || SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, _compilation.Assembly)
            || type.ContainingNamespace.IsGlobalNamespace
                ? null
                : type.ContainingNamespace.ToDisplayString();
    }
}
