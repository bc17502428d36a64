using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// The rules of docs/contributors/writing.md for XML documentation that a program can check, on what IntelliSense shows of each package. Partial
/// types are the reason for one of them: the compiler puts their summaries together, and an editor shows the first.
/// </summary>
public sealed partial class XmlDocumentationTests
{
    /// <summary>Types without an example of their own, each with the reason.</summary>
    private static readonly string[] s_withoutExample =
    [
        "NativeThreading.AspNetCore.NativeThreadPoolHostingStartup", // called by the host only
        "NativeThreading.SwitchToAwaitable.Awaiter", // called by the compiler only
    ];

    public static TheoryData<string> Packages => new(
        "NativeThreading", "NativeThreading.AspNetCore", "NativeThreading.Dashboard", "NativeThreading.EventLoops", "NativeThreading.EventLoops.Hosting",
        "NativeThreading.Hosting", "NativeThreading.Kestrel", "NativeThreading.Quartz", "NativeThreading.Testing");

    [Theory]
    [MemberData(nameof(Packages))]
    public void APublicMemberIsDocumented(string package)
    {
        var documentation = new XmlDocumentation(package);
        string[] faults = [.. documentation.Members.SelectMany(member => Faults(member, documentation.Of(member)).Select(fault => $"{member.ToDisplayString()}: {fault}"))];
        Assert.True(faults.Length == 0, string.Join('\n', faults));
        Assert.NotEmpty(documentation.Members);
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void AnExampleCompiles(string package)
    {
        var documentation = new XmlDocumentation(package);
        string[] examples = [.. documentation.Members.SelectMany(member => documentation.Of(member)?.Descendants("example") ?? []).Descendants("code").Select(static code => code.Value)];
        Assert.All(examples, static code => Assert.True(XmlDocumentation.Errors(code) is { Length: 0 }, $"{code}\n{string.Join('\n', XmlDocumentation.Errors(code))}"));
        Assert.NotEmpty(examples);
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void AMemberThatThrowsDocumentsTheException(string package)
    {
        var documentation = new XmlDocumentation(package);
        var thrown = new ThrownExceptions(package, documentation);
        (ISymbol Member, string[] Exceptions)[] all = [.. documentation.Members.Select(member => (member, thrown.Of(member)))];
        Assert.Contains(all, static one => one.Exceptions.Length != 0); // the sources were understood
        string[] faults = [.. all.SelectMany(one => thrown.Undocumented(one.Member, one.Exceptions).Select(exception => $"{one.Member.ToDisplayString()}: {exception}"))];
        Assert.True(faults.Length == 0, string.Join('\n', faults));
    }

    /// <summary>The members with which people start: one overload of each shows how it is called.</summary>
    [Theory]
    [InlineData("NativeThreadPool", "QueueUserWorkItem")]
    [InlineData("NativeThreadPool", "UnsafeQueueUserWorkItem")]
    [InlineData("NativeThreadPool", "Run")]
    [InlineData("NativeThreadPool", "RunAfter")]
    [InlineData("NativeThreadPool", "RunEvery")]
    [InlineData("NativeThreadPool", "ShutdownAsync")]
    [InlineData("NativeThreadPool", "WaitForIdleAsync")]
    [InlineData("WorkGroup", "Wait")]
    [InlineData("WorkSchedulerLoopExtensions", "For")]
    [InlineData("WorkSchedulerLoopExtensions", "ForEachAsync")]
    [InlineData("KeyedQueue", "Run")]
    public void AMemberThatPeopleStartWithHasAnExample(string type, string name)
    {
        var documentation = new XmlDocumentation("NativeThreading");
        ISymbol[] overloads = [.. documentation.Members.OfType<IMethodSymbol>().Where(method => method.ContainingType.Name == type && method.Name == name)];
        Assert.NotEmpty(overloads);
        Assert.Contains(overloads, overload => documentation.Of(overload)?.Element("example") is not null);
    }

    [Fact]
    public void AnExampleThatDoesNotCompileIsFound() => Assert.NotEmpty(XmlDocumentation.Errors("pool.QueueUserWorkItems();"));

    private static IEnumerable<string> Faults(ISymbol member, XElement? element)
    {
        if (element is null)
        {
            yield return "no documentation";
            yield break;
        }

        if (Trap().IsMatch(element.Value))
        {
            yield return $"the trap {Trap().Match(element.Value)} means nothing to users";
        }

        if (element.Elements("inheritdoc").Any(static inherited => inherited.Attribute("path") is null))
        {
            yield break;
        }

        XElement[] summaries = [.. element.Elements("summary")];
        if (summaries.Length != 1)
        {
            yield return $"{summaries.Length} summaries instead of one";
        }
        else if (member is IPropertySymbol && !IsOfRecord(member) && !summaries[0].Value.TrimStart().StartsWith("Gets ", StringComparison.Ordinal))
        {
            yield return "the summary of a property begins with \"Gets\" or \"Gets or sets\"";
        }

        if (member is IMethodSymbol method)
        {
            foreach (string parameter in method.Parameters.Where(_ => !Inherits(element, "param")).Select(static parameter => parameter.Name)
                .Except(element.Elements("param").Select(static parameter => parameter.Attribute("name")!.Value)))
            {
                yield return $"no <param> of {parameter}";
            }

            if (!method.ReturnsVoid && method.MethodKind == MethodKind.Ordinary && element.Element("returns") is null && !Inherits(element, "returns"))
            {
                yield return "no <returns>";
            }
        }

        if (member is INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct or TypeKind.Interface }
            && element.Element("example") is null && !s_withoutExample.Contains(member.ToDisplayString()))
        {
            yield return "no <example>";
        }
    }

    /// <summary>Whether a reference to another member's documentation takes over elements of a kind, by name or as all but some others.</summary>
    private static bool Inherits(XElement element, string kind) => element.Elements("inheritdoc")
        .Any(inherited => inherited.Attribute("path")?.Value is { } path && (path.Contains(kind, StringComparison.Ordinal) || path.StartsWith("/*[not(", StringComparison.Ordinal)));

    /// <summary>The compiler takes the summary of a positional record's property from the constructor's parameter, which is a noun phrase.</summary>
    private static bool IsOfRecord(ISymbol property) => property.ContainingType.IsRecord
        && property.ContainingType.InstanceConstructors.Any(constructor => constructor.Parameters.Any(parameter => parameter.Name == property.Name));

    [GeneratedRegex(@"\bT\d+\b")]
    private static partial Regex Trap();
}
