using System.Reflection;
using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>Tests look inside a pool through one door, PoolProbe, so that what moves in the pool moves one file of them.</summary>
public sealed class PoolProbeTests
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    /// <summary>Those that see the internals of the core, and what they share.</summary>
    private static readonly string[] s_projects = ["tests/NativeThreading.Tests", "tests/NativeThreading.EventLoops.Tests", "tests/NativeThreading.Processes.Tests", "tests/Shared"];

    [Fact]
    public void NoOtherFileNamesWhatAPoolKeepsToItself()
    {
        IEnumerable<string> inside = Names(BindingFlags.NonPublic).Except(Names(BindingFlags.Public));
        var named = new Regex($@"\b\w*[Pp]ool\.({string.Join('|', inside)})\b");
        ILookup<bool, string> files = s_projects.SelectMany(static project => SourceTree.Files(project, "*.cs")).ToLookup(static file => Path.GetFileName(file) == "PoolProbe.cs");
        Assert.Matches(named, File.ReadAllText(Assert.Single(files[true])));
        Assert.All(files[false], file => Assert.DoesNotMatch(named, File.ReadAllText(file)));
    }

    private static IEnumerable<string> Names(BindingFlags visible) =>
        typeof(NativeThreadPool).GetMembers(Declared | visible).Select(static member => member.Name).Where(static name => char.IsUpper(name[0]) && name.All(char.IsLetter));
}
