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
    private readonly Source[] _sources;

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
        _sources = [.. _compilation.SyntaxTrees
            .Where(tree => tree.FilePath.EndsWith("Snippets.cs", StringComparison.Ordinal))
            .Select(tree => new Source(tree, _compilation.GetSemanticModel(tree)))];
    }

    /// <summary>
    /// What the block needs and does not show, and what the compiler does not understand of it; <see langword="null"/> where
    /// the block stands in none of this project's files.
    /// </summary>
    public string[]? Missing(string block)
    {
        string[] lines = [.. DocumentationPages.LinesOf(block).Select(line => line.Text)];
        string[] shown = [.. lines.TakeWhile(IsDirective)];
        foreach (Source source in _sources)
        {
            if (source.Find(lines[shown.Length..]) is var (first, last))
            {
                IEnumerable<string> errors = source.Errors
                    .Where(diagnostic => IsWithin(diagnostic.Location))
                    .Select(diagnostic => diagnostic.ToString());
                IEnumerable<string> needed = source.Names
                    .Where(name => IsWithin(name.GetLocation()))
                    .Select(name => NamespaceOf(source.Model, name))
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

    /// <summary>A file that blocks stand in. The compiler reads it once for all of them.</summary>
    private sealed class Source(SyntaxTree tree, SemanticModel model)
    {
        private readonly (string Text, int Line)[] _lines = DocumentationPages.LinesOf(tree.ToString());
        private readonly Lazy<Diagnostic[]> _errors = new(() => [.. model.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)]);
        private readonly Lazy<SimpleNameSyntax[]> _names = new(() => [.. tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>()]);

        public SemanticModel Model => model;

        public Diagnostic[] Errors => _errors.Value;

        public SimpleNameSyntax[] Names => _names.Value;

        /// <summary>The block's first and last line in the file.</summary>
        public (int First, int Last)? Find(string[] block)
        {
            for (int start = 0; start + block.Length <= _lines.Length; start++)
            {
                if (_lines.Skip(start).Take(block.Length).Select(line => line.Text).SequenceEqual(block))
                {
                    return (_lines[start].Line, _lines[start + block.Length - 1].Line);
                }
            }

            return null;
        }
    }
}
