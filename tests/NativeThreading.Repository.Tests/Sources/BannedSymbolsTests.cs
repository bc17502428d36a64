using System.Xml.Linq;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>T31, T97, T98: what the sources of the packages must not use is banned, and the ban is in force.</summary>
public sealed class BannedSymbolsTests
{
    private static readonly string s_src = Path.Combine(SourceTree.Root, "src");

    [Theory]
    [InlineData("M:System.Threading.ThreadPool.SetMinThreads(System.Int32,System.Int32)")]
    [InlineData("M:System.Threading.ThreadPool.SetMaxThreads(System.Int32,System.Int32)")]
    [InlineData("M:System.Threading.Thread.Sleep(System.Int32)")]
    [InlineData("M:System.Threading.Thread.Sleep(System.TimeSpan)")]
    [InlineData("M:System.Threading.SpinWait.SpinOnce")]
    [InlineData("F:System.Reflection.BindingFlags.NonPublic")]
    [InlineData("T:System.Runtime.CompilerServices.UnsafeAccessorAttribute")]
    public void SymbolIsBanned(string symbol) =>
        Assert.Contains(
            File.ReadLines(Path.Combine(s_src, "BannedSymbols.txt")),
            line => line.StartsWith(symbol + ";", StringComparison.Ordinal));

    [Fact]
    public void TheBanAppliesToEveryProjectUnderSrc()
    {
        var properties = XDocument.Load(Path.Combine(s_src, "Directory.Build.props"));
        Assert.Contains(properties.Descendants("AdditionalFiles"), file => file.Attribute("Include")!.Value.EndsWith("BannedSymbols.txt", StringComparison.Ordinal));
        Assert.Contains(properties.Descendants("PackageReference"), package => package.Attribute("Include")!.Value == "Microsoft.CodeAnalysis.BannedApiAnalyzers");
        Assert.DoesNotContain(
            Directory.EnumerateFiles(s_src, "*.*proj", SearchOption.AllDirectories),
            project => File.ReadAllText(project).Contains("RS0030", StringComparison.Ordinal));
    }

    /// <summary>A lock statement, a SpinWait: each throws where the thread was interrupted, in the middle of a change (T137).</summary>
    [Theory]
    [InlineData("lock (")]
    [InlineData("new Lock(")]
    [InlineData("SpinOnce(")]
    [InlineData("Monitor.Enter(")]
    public void T137_TheCoreWaitsOnlyWhereAnInterruptIsAbsorbed(string wait)
    {
        string core = Path.Combine(s_src, "NativeThreading");
        string waiting = Path.Combine(core, "Platform");
        Assert.NotEmpty(Directory.EnumerateFiles(waiting));
        Assert.DoesNotContain(
            SourceTree.Sources.Where(file => file.StartsWith(core + Path.DirectorySeparatorChar, StringComparison.Ordinal)
                && !file.StartsWith(waiting, StringComparison.Ordinal)),
            file => File.ReadLines(file).Any(line => line.TrimStart().StartsWith(wait, StringComparison.Ordinal)
                || line.Contains(" " + wait, StringComparison.Ordinal) || line.Contains("." + wait, StringComparison.Ordinal)));
    }

    /// <summary>Under Wine the runtime's barrier does nothing.</summary>
    [Fact]
    public void T54_TheRuntimesBarrierIsCalledInOnePlace() =>
        Assert.Equal(
            "ProcessBarrier.cs",
            Path.GetFileName(Assert.Single(
                SourceTree.Sources,
                file => File.ReadAllText(file).Contains("MemoryBarrierProcessWide(", StringComparison.Ordinal))));

    /// <summary>A clock that is set must move no timer, no timeout and no proof of blocking.</summary>
    [Fact]
    public void TheCoreNeverReadsTheTimeOfDay()
    {
        string[] clocks = ["DateTime.Now", "DateTime.UtcNow", "DateTimeOffset.Now", "DateTimeOffset.UtcNow", "CLOCK_REALTIME", "gettimeofday"];
        string[] core = [Path.Combine(s_src, "NativeThreading"), Path.Combine(SourceTree.Root, "native", "src")];
        string[] sources = [.. core.SelectMany(static folder => Directory.EnumerateFiles(folder, "*.*", SearchOption.AllDirectories))
            .Where(static file => Path.GetExtension(file) is ".cs" or ".c" or ".h")];
        Assert.Contains(sources, static file => File.ReadAllText(file).Contains("CLOCK_MONOTONIC", StringComparison.Ordinal));
        Assert.Contains(sources, static file => File.ReadAllText(file).Contains("Stopwatch.GetTimestamp", StringComparison.Ordinal));
        Assert.All(sources, file =>
            Assert.DoesNotContain(clocks, clock => File.ReadAllText(file).Contains(clock, StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("BindingFlags.NonPublic")]
    [InlineData("UnsafeAccessor")]
    [InlineData("Thread.Sleep(")]
    [InlineData("RS0030")]
    [InlineData("ThreadPool.SetM")]
    public void NoSourceMentionsIt(string text)
    {
        Assert.NotEmpty(SourceTree.Sources);
        Assert.DoesNotContain(SourceTree.Sources, file => File.ReadAllText(file).Contains(text, StringComparison.Ordinal));
    }
}
