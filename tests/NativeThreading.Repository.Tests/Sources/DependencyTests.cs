using System.Reflection;
using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;
using NativeThreading.Tracing;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>Dependencies point one way: between packages, between the folders of one, and between the files of the native library.</summary>
public sealed partial class DependencyTests(ITestOutputHelper output)
{
    /// <summary>Which package refers to which others.</summary>
    private static readonly Dictionary<string, string[]> s_references = new()
    {
        ["NativeThreading"] = [],
        ["NativeThreading.EventLoops"] = ["NativeThreading"],
        ["NativeThreading.Hosting"] = ["NativeThreading"],
        ["NativeThreading.EventLoops.Hosting"] = ["NativeThreading.EventLoops", "NativeThreading.Hosting"],
        ["NativeThreading.AspNetCore"] = ["NativeThreading.Hosting"],
        ["NativeThreading.Kestrel"] = ["NativeThreading.AspNetCore", "NativeThreading.EventLoops"],
        ["NativeThreading.Dashboard"] = ["NativeThreading.Hosting"],
        ["NativeThreading.Quartz"] = ["NativeThreading.Hosting"],
        ["NativeThreading.Testing"] = ["NativeThreading"],
    };

    /// <summary>Every use of a package's internals by another package. The two have one version: the nuspec names it exactly.</summary>
    private static readonly Dictionary<(string Of, string By), string[]> s_friends = new()
    {
        [("NativeThreading", "NativeThreading.EventLoops")] =
        [
            "CancelledItems", "CancelledTask", "Completion", "ContinuationContext", "CoreChoice", "CoreDescriptor", "CoreLoop", "DefaultContext",
            "EventLoopStats", "Evidence", "Failpoints", "IDroppable", "IMonitored", "IWatched", "InjectorShard", "ItemContext",
            "ItemPredicate`1", "LifecycleState", "LoadContextEnd", "LoopHook", "MonitorHold", "MonotonicClock",
            "NativeBuffer", "NativeCore", "NativeEvent", "NativeEventKind", "NativeThreadPool.EnqueueCaptured",
            "NativeThreadingEventSource", "NoResult", "Observation", "OptionErrors", "OptionRange", "OrphanedItem", "PaddedIndex",
            "PauseFreeClock", "PendingItemView", "PoolMetrics", "QueuedTask", "Scope", "StarvationMonitor", "StarvationTuning",
            "State", "StopTokens", "TaskEnd", "TaskTransfer", "ThreadAbort", "ThreadLaunch", "ThreadNice", "ThreadProbe",
            "ThreadStarter", "UninterruptedLock", "WeakList`1", "WorkItem",
        ],
        [("NativeThreading", "NativeThreading.Testing")] =
        [
            "IExpiring", "IItemSubject", "IObservedOptions", "IObservedScheduler", "KeyedTurn", "NamedItem", "NativeThreadPool.ExecuteWorkItem",
            "NativeThreadPoolOptions.Validated", "ObservedCall", "QueuedTask", "WorkItem", "WorkObservation",
        ],
        [("NativeThreading.Hosting", "NativeThreading.EventLoops.Hosting")] =
            ["LoopsRegistration", "NativeThreadingService", "Registration", "SectionBinding", "SectionValidator`1", "StartedLoops"],
        [("NativeThreading.AspNetCore", "NativeThreading.Kestrel")] = ["EndpointName", "PoolRequests", "RejectedRequests", "WarningPace"],
    };

    public static TheoryData<string> Packages => [.. s_references.Keys];

    [Theory]
    [MemberData(nameof(Packages))]
    public void Folders_HaveNoCycle(string package) => AssertOneWay(FolderDependencies.Of(package));

    [Fact]
    public void NativeFiles_HaveNoCycle()
    {
        // A source, its header, or both; the files of prim/ are one part, for each system has its own.
        string root = Path.Combine(SourceTree.Root, "native", "src");
        (string Part, string Text)[] files = [.. SourceTree.Files("native/src", "*.?").Select(file => (PartOf(Path.GetRelativePath(root, file)), Read(file)))];
        Dictionary<string, string> definedIn = files
            .SelectMany(static file => Definition().Matches(file.Text).Select(definition => (Name: definition.Groups[1].Value, file.Part)))
            .DistinctBy(static definition => definition.Name)
            .ToDictionary(static definition => definition.Name, static definition => definition.Part);
        var found = new Dependencies();
        foreach ((string part, string text) in files)
        {
            foreach (Match use in Use().Matches(text).Where(use => use.Groups[1].Success || definedIn.ContainsKey(use.Value)))
            {
                found.Add(part, use.Groups[1].Success ? PartOf(use.Groups[1].Value) : definedIn[use.Value], use.Value);
            }
        }

        AssertOneWay(found);

        static string PartOf(string file) => file.StartsWith("prim", StringComparison.Ordinal) ? "prim" : Path.ChangeExtension(file, null);

        static string Read(string file) => Comment().Replace(File.ReadAllText(file), "");
    }

    [Fact]
    public void EveryProjectIsAPackageOfThese() => Assert.Equal(
        s_references.Keys.Order(StringComparer.Ordinal),
        SourceTree.Files("src", "*.csproj").Select(Path.GetFileNameWithoutExtension).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Packages))]
    public void Package_RefersToTheseAndNoOthers(string package) => Assert.Equal(
        s_references[package],
        Reference().Matches(File.ReadAllText(Path.Combine(SourceTree.Root, "src", package, $"{package}.csproj"))).Select(static reference => reference.Groups[1].Value));

    [Theory]
    [MemberData(nameof(Packages))]
    public void Friends_UseOnlyTheInternalsThatAreListed(string package)
    {
        Assembly of = Assembly.Load(package);
        Assert.Equal(
            s_friends.Keys.Where(friend => friend.Of == package).Select(static friend => friend.By).Order(StringComparer.Ordinal),
            FriendAccess.FriendsOf(of).Where(static friend => Packages.Any(other => other.Data == friend)).Order(StringComparer.Ordinal));
        Assert.All(s_friends.Where(friend => friend.Key.Of == package), friend => Assert.Equal(friend.Value, FriendAccess.Used(of, Assembly.Load(friend.Key.By))));
    }

    [Fact]
    public void OnCycles_AreThoseThatLeadBack()
    {
        var dependencies = new Dependencies();
        dependencies.Add("above", "a", "1");
        dependencies.Add("a", "b", "3");
        dependencies.Add("a", "b", "2");
        dependencies.Add("b", "c", "4");
        dependencies.Add("c", "a", "5");
        dependencies.Add("c", "below", "6");
        dependencies.Add("c", "c", "7");
        Assert.Equal(5, dependencies.All.Length);
        Assert.Equal(["a -> b: 2, 3", "b -> c: 4", "c -> a: 5"], dependencies.OnCycles);
    }

    private void AssertOneWay(Dependencies found)
    {
        Array.ForEach(found.All, output.WriteLine);
        Assert.True(found.OnCycles.Length == 0, $"These dependencies make a cycle:\n{string.Join('\n', found.OnCycles)}");
    }

    [GeneratedRegex(@"^\w[\w *]*\b(nth_\w+)\([^;{}]*\)\s*\{", RegexOptions.Multiline)]
    private static partial Regex Definition();

    [GeneratedRegex(@"#include ""([\w/]+)\.h""|\bnth_\w+")]
    private static partial Regex Use();

    [GeneratedRegex(@"<ProjectReference Include=""\.\./(NativeThreading[\w.]*)/")]
    private static partial Regex Reference();

    [GeneratedRegex(@"/\*.*?\*/", RegexOptions.Singleline)]
    private static partial Regex Comment();
}
