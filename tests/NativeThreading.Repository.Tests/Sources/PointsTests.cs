using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text.RegularExpressions;
using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>The points of hostile schedules: each step that a model names has one, and a build that is not for them has none.</summary>
public sealed partial class PointsTests
{
    private static readonly string s_native = Path.Combine(SourceTree.Root, "native", "src");

    /// <summary>The members that the models mirror: the third column of native/models/README.md.</summary>
    public static TheoryData<string, string> MirroredMembers()
    {
        var members = new SortedSet<(string Type, string Member)>();
        foreach (string line in File.ReadLines(Path.Combine(SourceTree.Root, "native", "models", "README.md")).Where(line => line.StartsWith("| `", StringComparison.Ordinal)))
        {
            foreach (string group in line.Split('|')[3].Split(';'))
            {
                string type = "";
                foreach (Match quoted in Quoted().Matches(group))
                {
                    string[] parts = quoted.Groups[1].Value.Split('.');
                    bool isNative = parts[0].StartsWith("nth_", StringComparison.Ordinal);
                    type = isNative ? "native" : parts.Length == 2 || type.Length == 0 ? parts[0] : type;
                    members.Add((type, parts[^1]));
                }
            }
        }

        var data = new TheoryData<string, string>();
        foreach ((string type, string member) in members)
        {
            data.Add(type, member);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(MirroredMembers))]
    public void MemberThatAModelMirrorsHasAPoint(string type, string member)
    {
        string[] bodies = type == "native" ? [.. NativeBodies(member)] : [.. ManagedBodies(type, member)];
        Assert.True(bodies.Length != 0, $"native/models/README.md names {type}.{member}, which is not found.");
        Assert.True(
            bodies.Any(body => body.Contains("Chaos.Point(\"", StringComparison.Ordinal) || NativePoint().IsMatch(body)),
            $"{type}.{member} is a step of a model and has no Chaos.Point, in C nth__chaos.");
    }

    [Fact]
    public void EveryMemberOfTheTableIsFound() => Assert.InRange(MirroredMembers().Count, 80, 200);

    [Fact]
    public void NamesArePlacesAndUnique()
    {
        string[] names = [.. ManagedNames(), .. Directory.EnumerateFiles(s_native, "*.c").SelectMany(file => NativePoint().Matches(File.ReadAllText(file))).Select(match => match.Value)
            .Where(point => !point.StartsWith("nth__failpoint", StringComparison.Ordinal))]; // a failpoint is a kind of window
        Assert.Equal(names.Distinct(), names);
        Assert.All(ManagedNames(), name => Assert.Matches(@"^[A-Z]\w+\.[A-Z]\w+(, .+)?$", name));
    }

#if !CHAOS
    /// <summary>A call would have to load the point's name, and so the assembly to hold it.</summary>
    [Theory]
    [InlineData(typeof(NativeThreadPool))]
    [InlineData(typeof(EventLoop))]
    public void TheAssemblyHoldsNoPoint(Type type)
    {
        using var file = new PEReader(File.OpenRead(type.Assembly.Location));
        MetadataReader reader = file.GetMetadataReader();
        var literals = new HashSet<string>();
        for (UserStringHandle handle = MetadataTokens.UserStringHandle(1); !handle.IsNil; handle = reader.GetNextHandle(handle))
        {
            literals.Add(reader.GetUserString(handle));
        }

        Assert.NotEmpty(literals);
        Assert.DoesNotContain(ManagedNames(), literals.Contains);
    }
#endif

    private static IEnumerable<string> ManagedNames() =>
        SourceTree.Sources.SelectMany(file => ManagedPoint().Matches(File.ReadAllText(file))).Select(match => match.Groups[1].Value);

    /// <summary>The bodies of a member's overloads, or all of a type.</summary>
    private static IEnumerable<string> ManagedBodies(string type, string member)
    {
        var declaration = new Regex($@"^    (?:(?:public|private|internal|protected|static|readonly|override|unsafe)\s)+[^=;(]*\b{member}\b(?:<[^>]*>)?(?:\(|$)", RegexOptions.Multiline);
        foreach (string text in SourceTree.Sources
            .Where(file => Path.GetFileName(file).StartsWith(type + ".", StringComparison.Ordinal))
            .Select(File.ReadAllText))
        {
            if (type == member)
            {
                yield return text;
                continue;
            }

            foreach (Match match in declaration.Matches(text))
            {
                yield return UpToTheNext("\n    }", "\n\n", text, match.Index);
            }
        }
    }

    private static IEnumerable<string> NativeBodies(string function)
    {
        var declaration = new Regex($@"^\w[\w *]*\b{function}\((?:[^;{{]*)\{{", RegexOptions.Multiline);
        return Directory.EnumerateFiles(s_native, "*.c").Select(File.ReadAllText).SelectMany(text =>
            declaration.Matches(text).Select(match => UpToTheNext("\n}", "\n}", text, match.Index)));
    }

    /// <summary>The end of a block; of an expression where that comes first.</summary>
    private static string UpToTheNext(string block, string blank, string text, int from)
    {
        int end = text.IndexOf(block, from, StringComparison.Ordinal);
        int line = text.IndexOf('\n', from);
        bool isExpression = text.IndexOf("=>", from, StringComparison.Ordinal) is var arrow && arrow >= 0 && arrow < line;
        return text[from..(isExpression ? text.IndexOf(blank, from, StringComparison.Ordinal) : end)];
    }

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Quoted();

    [GeneratedRegex(@"Chaos\.Point\(""([^""]+)""\)")]
    private static partial Regex ManagedPoint();

    [GeneratedRegex(@"nth__chaos\(""[^""]+""\)|nth__failpoint\(NTH__\w+\)")]
    private static partial Regex NativePoint();
}
