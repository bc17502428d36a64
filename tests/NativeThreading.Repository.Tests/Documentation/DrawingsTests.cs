using System.Globalization;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// The drawings of docs/drawings are written by hand, one element a line: the source is what is shown, so that nothing has to be
/// installed to see it or to change it. What a tool would see to is checked here.
/// </summary>
public sealed partial class DrawingsTests
{
    private static readonly string[] s_allowed = ["svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text"];

    public static TheoryData<string> Drawings() => new(SourceTree.Files("docs/drawings", "*.svg").Select(Path.GetFileName).Order(StringComparer.Ordinal)!);

    [Fact]
    public void FourOfThem_InOneStyle()
    {
        Assert.Equal(4, Drawings().Count);
        Assert.Single(Drawings().Select(row => Elements(row.Data, "style").Single().Value).Distinct());
    }

    [Theory]
    [MemberData(nameof(Drawings))]
    public void StandsAlone_AndIsShownAndDescribed(string name)
    {
        XElement drawing = Load(name);
        Assert.All(drawing.DescendantsAndSelf(), element => Assert.Contains(element.Name.LocalName, s_allowed));
        Assert.DoesNotContain("url(http", drawing.ToString(), StringComparison.Ordinal);
        Assert.NotEmpty(Elements(name, "title").Single().Value);
        Assert.NotEmpty(Elements(name, "desc").Single().Value);
        Assert.Contains(MarkdownPage.All, page => page.Links.Any(link => link.EndsWith($"/drawings/{name}", StringComparison.Ordinal)));
    }

    /// <summary>By the widest of the usual fonts: nothing is cut off, whatever the reader's machine has.</summary>
    [Theory]
    [MemberData(nameof(Drawings))]
    public void EveryTextHasRoom(string name)
    {
        double width = Number(Load(name), "width");
        Assert.All(Elements(name, "text"), text =>
        {
            string kind = (string?)text.Attribute("class") ?? "";
            double size = kind.Contains("title", StringComparison.Ordinal) ? 10.4
                : kind.Contains("code", StringComparison.Ordinal) ? 6.8
                : kind.Contains("small", StringComparison.Ordinal) ? 6.2
                : 8.6;
            double length = text.Value.Length * size;
            double left = Number(text, "x") - (kind.Contains("mid", StringComparison.Ordinal) ? length / 2 : 0);
            Assert.True(left >= 0 && left + length <= width, $"{text.Value}: {left} to {left + length} of {width}");
        });
    }

    [Theory]
    [MemberData(nameof(Drawings))]
    public void NamesOfCodeExist(string name)
    {
        IEnumerable<string> names = Elements(name, "text")
            .Where(text => ((string?)text.Attribute("class") ?? "").Split(' ').Contains("code"))
            .SelectMany(text => Word().Matches(text.Value).Select(word => word.Value));
        Assert.All(names, word => Assert.Contains(word, SourceWords.Value));
    }

    private static Lazy<HashSet<string>> SourceWords { get; } = new(() =>
    [
        .. SourceTree.Sources.Concat(SourceTree.Files("native/src", "*.?"))
            .SelectMany(file => Word().Matches(File.ReadAllText(file)).Select(word => word.Value)),
    ]);

    private static XElement Load(string name) => XDocument.Load(Path.Combine(SourceTree.Root, "docs", "drawings", name)).Root!;

    private static IEnumerable<XElement> Elements(string name, string element) => Load(name).Descendants().Where(each => each.Name.LocalName == element);

    private static double Number(XElement element, string attribute) => double.Parse(element.Attribute(attribute)!.Value, CultureInfo.InvariantCulture);

    [GeneratedRegex("[A-Za-z_]+")]
    private static partial Regex Word();
}
