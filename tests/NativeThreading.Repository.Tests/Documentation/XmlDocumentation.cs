using System.Collections.Immutable;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The XML documentation of a package as IntelliSense reads it: what the compiler wrote next to the assembly, for members that users see.</summary>
internal sealed class XmlDocumentation
{
    /// <summary>Usings and names that the examples take for granted.</summary>
    private const string Known =
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Microsoft.AspNetCore.Builder;
        global using Microsoft.AspNetCore.Hosting;
        global using Microsoft.AspNetCore.Http;
        global using Microsoft.Extensions.DependencyInjection;
        global using NativeThreading;
        global using NativeThreading.AspNetCore;
        global using NativeThreading.Dashboard;
        global using NativeThreading.Diagnostics;
        global using NativeThreading.EventLoops;
        global using NativeThreading.Hosting;
        global using NativeThreading.Kestrel;
        global using NativeThreading.Testing;
        global using Quartz;
        global using static Known;

        internal static class Known
        {
            public static readonly WebApplicationBuilder builder = null!;
            public static readonly WebApplication app = null!;
            public static readonly IServiceCollection services = null!;
            public static readonly Endpoint endpoint = null!;
            public static readonly NativeThreadPool pool = null!;
            public static readonly EventLoop loop = null!;
            public static readonly EventLoopRegistration registration = null!;
            public static readonly ThreadSnapshot snapshot = null!;
            public static readonly PoolConditions conditions = null!;
            public static readonly List<string> entries = [];
            public static readonly byte[] buffer = [];
            public static string Report() => "";
            public static readonly string page = "", message = "", index = "";
            public static readonly CancellationToken token = default;
            public static readonly Store store = null!;
            public static void Compute() { }
            public static string Render(string page) => page;
            public static void Send(string message) { }
            public static void Compact(string index) { }
            public static void AttachThread() { }
            public static void DetachThread() { }
            public static Task RemoveExpiredEntriesAsync() => Task.CompletedTask;
            public static Task ImportAsync() => Task.CompletedTask;
        }

        internal sealed class Store
        {
            public Task SwitchToReplicaAsync() => Task.CompletedTask;
        }
        """;

    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview);
    private static readonly SyntaxTree s_known = CSharpSyntaxTree.ParseText(Known, s_options);

    private readonly Dictionary<string, XElement> _elements;

    public XmlDocumentation(string package)
    {
        string file = Path.Combine(AppContext.BaseDirectory, $"{package}.dll");
        _elements = XDocument.Load(Path.ChangeExtension(file, ".xml")).Descendants("member").ToDictionary(static member => member.Attribute("name")!.Value);
        var compilation = CSharpCompilation.Create("Reader", references: References);
        var assembly = (IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(References.Single(reference => reference.Display == file))!;
        Members = [.. Visible(assembly.GlobalNamespace)];
    }

    /// <summary>The assemblies that the tests run with: the framework and the packages.</summary>
    public static ImmutableArray<MetadataReference> References { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(static file => MetadataReference.CreateFromFile(file)),
    ];

    /// <summary>The types and members that users see, without what the compiler made of a record or for an accessor.</summary>
    public ISymbol[] Members { get; }

    /// <summary>The documentation of a member; <see langword="null"/> if it has none.</summary>
    public XElement? Of(ISymbol member) => _elements.GetValueOrDefault(member.GetDocumentationCommentId()!);

    /// <summary>The compiler's errors for the code of an example, which may be statements, or types.</summary>
    public static string[] Errors(string code)
    {
        SyntaxTree example = CSharpSyntaxTree.ParseText(code, s_options);
        bool isProgram = ((CompilationUnitSyntax)example.GetRoot()).Members.Any(static member => member is GlobalStatementSyntax);
        var options = new CSharpCompilationOptions(
            isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable);
        return
        [
            .. CSharpCompilation.Create("Example", [s_known, example], References, options).GetDiagnostics()
                .Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error).Select(static diagnostic => diagnostic.ToString()),
        ];
    }

    private static IEnumerable<ISymbol> Visible(INamespaceOrTypeSymbol container)
    {
        foreach (ISymbol member in container.GetMembers())
        {
            if (member is INamespaceSymbol inner)
            {
                foreach (ISymbol symbol in Visible(inner))
                {
                    yield return symbol;
                }
            }
            else if (member is INamedTypeSymbol { IsExtension: true } extension)
            {
                foreach (ISymbol symbol in Visible(extension))
                {
                    yield return symbol;
                }
            }
            else if (member.DeclaredAccessibility is Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal && !IsMade(member))
            {
                yield return member;
                if (member is INamedTypeSymbol type)
                {
                    foreach (ISymbol symbol in Visible(type))
                    {
                        yield return symbol;
                    }
                }
            }
        }
    }

    private static bool IsMade(ISymbol member) =>
        member is IMethodSymbol { MethodKind: MethodKind.PropertyGet or MethodKind.PropertySet or MethodKind.EventAdd or MethodKind.EventRemove }
        || member is IMethodSymbol { MethodKind: MethodKind.Constructor, Parameters.Length: 0 } // of a class that declares none, or nothing to explain
        || (member.ContainingType is { } type && (type.IsRecord || type.TypeKind == TypeKind.Struct || type.TypeKind == TypeKind.Enum)
            && member is IMethodSymbol { Name: "Equals" or "GetHashCode" or "ToString" or "Deconstruct" or "op_Equality" or "op_Inequality" or "<Clone>$" or "PrintMembers" })
        || member is IFieldSymbol { Name: "value__" };
}
