using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>
/// The rules of docs/contributors/writing.md that a program can check: words and shapes that must not come back, the length of sentences and of
/// pages. A prose linter of npm would read pages, but neither strings nor comments, and would need node; so one check does all three.
/// </summary>
public sealed class ProseTests
{
    private const int LongestSentence = 30, MostWordsOfUsersPages = 30_000;

    private static readonly string[] s_usersFolders = ["docs/start/", "docs/guides/", "docs/reference/", "docs/explanation/", "docs/README.md", "README.md"];

    /// <summary>The page that quotes the words themselves.</summary>
    private static readonly string[] s_quoting = ["docs/contributors/writing.md"];

    /// <summary>Folders whose comments obey the rules. A folder is added when it is clean, and never removed.</summary>
    private static readonly string[] s_cleanFolders = ["src", "native/src", "native/include", "instrumentation", "packaging", "samples", "tests", "native/tests", "native/models", "benchmarks", "tools"];

    private static readonly string[] s_foldersWithoutOldVerbs = ["src"];

    private static readonly string[] s_sources = ["*.cs", "*.c", "*.h", "*.pml"];

    [Fact]
    public void ThePageListsTheWords()
    {
        Assert.True(Prose.RejectedWords.Length > 30, string.Join(", ", Prose.RejectedWords));
        Assert.Contains("whoever", Prose.RejectedWords);
        Assert.Contains("the runtime's pool", Prose.RejectedWords);
    }

    public static TheoryData<string> Pages() => new(MarkdownPage.All.Select(static page => page.Name)
        .Where(static name => !name.StartsWith("benchmarks/results/", StringComparison.Ordinal) && !s_quoting.Contains(name)));

    public static TheoryData<string> UsersPages() => new(MarkdownPage.All.Select(static page => page.Name).Where(IsForUsers));

    [Theory]
    [MemberData(nameof(Pages))]
    public void APageHasNoRejectedWord(string name) => AssertNone(name, Prose.OfPage(Read(name)));

    [Theory]
    [MemberData(nameof(UsersPages))]
    public void AUsersPageHasShortSentences(string name)
    {
        string[] tooLong = [.. Prose.Sentences(Read(name)).Where(static sentence => Prose.Words(sentence) > LongestSentence)];
        Assert.True(tooLong.Length == 0, $"{name}, more than {LongestSentence} words:\n{string.Join('\n', tooLong)}");
    }

    /// <summary>What is longer is two pages.</summary>
    [Theory]
    [MemberData(nameof(UsersPages))]
    public void AUsersPageIsShort(string name) => Assert.InRange(Read(name).Split('\n').Length, 10, 250);

    [Fact]
    public void AnArchitecturePageIsShort() =>
        Assert.All(SourceTree.Files("docs/contributors/architecture", "*.md"), file => Assert.InRange(File.ReadAllLines(file).Length, 50, 200));

    /// <summary>One screen each.</summary>
    [Fact]
    public void AnEntryOfTheNotesIsShort() =>
        Assert.All(Read("docs/contributors/performance-notes.md").Split("\n##").Skip(1), entry => Assert.InRange(entry.Split('\n').Length, 2, 45));

    /// <summary>
    /// As <c>wc -w</c> counts, without code blocks and the rules and bars of tables, which are no words. The changelog does not count: it grows
    /// with each version.
    /// </summary>
    [Fact]
    public void TheUsersPagesAreShortTogether() =>
        Assert.InRange(
            UsersPages().Select(static row => row.Data)
                .Where(static name => name.StartsWith("docs/", StringComparison.Ordinal) && name != "docs/reference/changelog.md")
                .Sum(static name => Prose.Count(Read(name))),
            10_000,
            MostWordsOfUsersPages);

    /// <summary>Checks every string, not only those of exceptions, log messages and events: most of the others reach users, too.</summary>
    [Fact]
    public void StringsHaveNoRejectedWord()
    {
        string[] native = [.. SourceTree.Files("native/src", "*.?"), .. SourceTree.Files("native/include", "*.h")];
        Assert.Contains(native, static file => Path.GetFileName(file) == "chaos.c");
        Assert.All(SourceTree.Sources.Concat(native), file => AssertNone(file, Prose.OfStrings(File.ReadAllText(file))));
    }

    [Fact]
    public void CommentsOfCleanFoldersHaveNoRejectedWord() => Assert.All(
        s_cleanFolders.SelectMany(static folder => s_sources.SelectMany(kind => SourceTree.Files(folder, kind))),
        file => AssertNone(file, Prose.OfComments(File.ReadAllText(file))));

    /// <summary>Mutants, scripts and workflows, whose comments are lines that start with a number sign.</summary>
    [Fact]
    public void CommentsOfScriptsHaveNoRejectedWord() => Assert.All(
        ((string[])[".ci", ".github", "native/models", "tests/mutants"]).SelectMany(static folder => SourceTree.Files(folder, "*"))
            .Concat(Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "tests")))
            .Where(static file => Path.GetExtension(file) is "" or ".mutant" or ".sh" or ".yml"),
        file => AssertNone(file, string.Join('\n', File.ReadLines(file).Select(static line => line.TrimStart().StartsWith('#') ? line : ""))));

    /// <summary>In these folders the comments have the verbs of the page's table, too: <em>scans</em>, <em>starts</em>, <em>rejects</em>.</summary>
    [Fact]
    public void CommentsOfThePackagesHaveNoOldVerb() => Assert.All(
        s_foldersWithoutOldVerbs.SelectMany(static folder => SourceTree.Files(folder, "*.cs")),
        file => Assert.Empty(Prose.OldVerbs(Prose.OfComments(File.ReadAllText(file))).Select(verb => $"{file}:{verb}")));

    [Theory]
    [InlineData("// A worker looks for items.", 1)]
    [InlineData("// An item begins, and is refused.", 2)]
    [InlineData("Looks(begun); // a scan", 0)]
    public void OldVerbsAreFound(string code, int count) => Assert.Equal(count, Prose.OldVerbs(Prose.OfComments(code)).Count());

    [Theory]
    [InlineData("throw new InvalidOperationException(\"Nobody waits.\");", 1)]
    [InlineData("[Event(3, Message = \"tried as ever\")]", 1)]
    [InlineData("nth__chaos(\"f, nobody inside\");", 1)]
    [InlineData("int x; // nobody waits", 0)]
    [InlineData("int x; /* nobody\n * waits */", 0)]
    [InlineData("string text = \"https://x, in vain\";", 1)]
    public void WordsOfStringsAreFound(string code, int count) => Assert.Equal(count, Prose.Rejected(Prose.OfStrings(code)).Count());

    [Theory]
    [InlineData("/// <summary>Nobody waits <see cref=\"Beside\"/>.</summary>", 1)]
    [InlineData("int nobody = \"beside\"; // in\n// vain", 1)]
    [InlineData("/* for\n * ever */", 1)]
    [InlineData("// `beside` stays, and so does <c>nobody</c>", 0)]
    [InlineData("char quote = '\"'; // beside", 1)]
    public void WordsOfCommentsAreFound(string code, int count) => Assert.Equal(count, Prose.Rejected(Prose.OfComments(code)).Count());

    [Theory]
    [InlineData("Who queues counts.", 1)]
    [InlineData("Who queues?", 0)]
    [InlineData("It runs behind an await.", 1)]
    [InlineData("It runs behind a proxy.", 0)]
    [InlineData("The loop stops to read.", 1)]
    public void ShapesAreFound(string text, int count) => Assert.Equal(count, Prose.Rejected(text).Count());

    [Fact]
    public void SentencesArePartsOfParagraphsItemsAndCells() => Assert.Equal(
        ["One two.", "Three: four.", "Five", "Six.", "Seven", "eight"],
        Prose.Sentences("# No\n\nOne two. Three:\nfour.\n\n- Five\n- Six. Seven\n\n| eight |\n").Where(static sentence => sentence.Length != 0));

    [Fact]
    public void CodeAndTheLinesOfTablesAreNotCounted() => Assert.Equal(7, Prose.Count("# One two\n\n| three | `four` |\n|---|---:|\n\n```csharp\nint no;\n```\n\n[five](six.md), 7\n"));

    private static bool IsForUsers(string name) =>
        s_usersFolders.Any(folder => name.StartsWith(folder, StringComparison.Ordinal))
        || (name.StartsWith("src/", StringComparison.Ordinal) && !name.Contains("/Page/", StringComparison.Ordinal));

    private static void AssertNone(string name, string text)
    {
        string[] found = [.. Prose.Rejected(text)];
        Assert.True(found.Length == 0, $"{name} (docs/contributors/writing.md):\n{string.Join('\n', found)}");
    }

    private static string Read(string name) => File.ReadAllText(Path.Combine(SourceTree.Root, name));
}
