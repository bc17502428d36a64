using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>The options of a pool's threads: processors, apartment, culture.</summary>
public sealed class ThreadOptionsTests
{
    private static readonly CultureInfo s_german = Culture("german");
    private static readonly CultureInfo s_french = Culture("french");
    private static readonly AsyncLocal<int> s_local = new();

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Priorities)]
    [NeedsSystem(NeedsSystemAttribute.Linux)]
    public void Processors_AreThoseOfAllThreads_AndOfNoThreadOfAnotherPool()
    {
        string all = AllowedProcessors();
        int last = int.Parse(all.Split(',', '-')[^1], CultureInfo.InvariantCulture);
        using NativeThreadPool pool = With(new() { Processors = [last], MaxThreads = 1, MinThreads = 1 });
        string pinned = last.ToString(CultureInfo.InvariantCulture);
        Assert.Equal(pinned, pool.OnWorker(AllowedProcessors));
        Assert.Equal(pinned, Deadline.Result(pool.Factory.StartNew(AllowedProcessors, TaskCreationOptions.LongRunning)));
        using NativeThreadPool other = With(new());
        Assert.Equal(all, pool.OnWorker(() => other.OnWorker(AllowedProcessors))); // a pinned thread starts the other's first thread
    }

    [Fact]
    public void ProcessorsThatTheProcessDoesNotHave_AreReportedOnce_AndThePoolWorks()
    {
        using var log = new EventLog();
        using NativeThreadPool pool = With(new() { Name = "misplaced", Processors = [8_000], MaxThreads = 2, MinThreads = 2 });
        pool.StartMinThreads();
        using (new BlockedWorkers(pool, 2))
        {
            Assert.Equal("8000", log.WaitFor("AffinityRefused", pool.Name).Payload![1]);
        }

        Assert.Single(log.Of("AffinityRefused", pool.Name));
    }

    [Theory]
    [InlineData(new int[0], "[]")]
    [InlineData(new[] { -1 }, "[-1]")]
    [InlineData(new[] { 8_192 }, "[8192]")]
    [InlineData(new[] { 1, 1 }, "[1, 1]")]
    public void ProcessorsOutOfRange_AreRefused(int[] processors, string text)
    {
        var refused = Assert.Throws<ArgumentOutOfRangeException>(() => With(new() { Processors = processors }));
        Assert.StartsWith($"Processors must be different numbers between 0 and 8191, or null, but was {text}.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Processors_AreCopied()
    {
        int[] processors = [0];
        using NativeThreadPool pool = With(new() { Processors = processors });
        processors[0] = -1;
        Assert.Equal(1, pool.OnWorker(static () => 1));
    }

    [Fact]
    public void Apartment_IsThatOfTheThreads_OrRefusedByTheSystem()
    {
        if (!OperatingSystem.IsWindows())
        {
            Assert.Throws<PlatformNotSupportedException>(() => With(new() { ApartmentState = ApartmentState.STA }));
            return;
        }

        using NativeThreadPool pool = With(new() { ApartmentState = ApartmentState.STA });
        Assert.Equal(ApartmentState.STA, pool.OnWorker(static () => Thread.CurrentThread.GetApartmentState()));
    }

    [Fact]
    public void UndefinedApartment_IsRefused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => With(new() { ApartmentState = (ApartmentState)9 }));

    private static readonly string[] s_ways = ["raw", "unsafe", "run", "function", "operation", "after an await", "group", "sequencer", "options", "timer", "from an item"];

    /// <summary>Each way, in a pool without a limit and in one with a limit.</summary>
    public static TheoryData<string, int?> Ways
    {
        get
        {
            var ways = new TheoryData<string, int?>();
            foreach (string way in s_ways)
            {
                ways.Add(way, null);
                ways.Add(way, 10);
            }

            return ways;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Culture_IsThatOfEachItem_UnlessItsCallerHasSetAnother(string way, int? limit)
    {
        await using NativeThreadPool pool = With(new() { Culture = s_german, UICulture = s_french, QueueLimit = limit });
        Assert.Equal(("german", "french"), await Deadline.For(CulturesIn(pool, way)));

        s_local.Value = 1; // now a context flows
        Assert.Equal(("german", "french"), await Deadline.For(CulturesIn(pool, way)));

        if (way != "unsafe")
        {
            CultureInfo.CurrentCulture = s_french;
            Assert.Equal(("french", "french"), await Deadline.For(CulturesIn(pool, way)));
        }
    }

    [Fact]
    public async Task CultureThatAnItemSets_DoesNotStay()
    {
        await using NativeThreadPool pool = With(new() { MaxThreads = 1, Culture = s_german });
        pool.UnsafeQueueUserWorkItem(static _ => CultureInfo.CurrentCulture = s_french, null);
        Assert.Equal("german", (await Deadline.For(CulturesIn(pool, "unsafe"))).Culture);
        await using NativeThreadPool other = With(new());
        Assert.Equal(NameOf(CultureInfo.CurrentCulture), (await Deadline.For(CulturesIn(other, "run"))).Culture);
    }

    private static async Task<(string Culture, string UICulture)> CulturesIn(NativeThreadPool pool, string way)
    {
        var seen = new TaskCompletionSource<(string, string)>(TaskCreationOptions.RunContinuationsAsynchronously);
        void Note() => seen.SetResult((NameOf(CultureInfo.CurrentCulture), NameOf(CultureInfo.CurrentUICulture)));
        switch (way)
        {
            case "raw":
                pool.QueueUserWorkItem(_ => Note());
                break;
            case "unsafe":
                pool.UnsafeQueueUserWorkItem(_ => Note(), null);
                break;
            case "run":
                _ = pool.Run(Note);
                break;
            case "function":
                _ = pool.Run(() =>
                {
                    Note();
                    return 1;
                });
                break;
            case "operation":
                _ = pool.Run(() =>
                {
                    Note();
                    return Task.CompletedTask;
                });
                break;
            case "after an await":
                _ = pool.Run(async () =>
                {
                    await Task.Yield();
                    Note();
                });
                break;
            case "group":
                new WorkGroup(pool).Queue<object?>(_ => Note(), null);
                break;
            case "sequencer":
                _ = new Sequencer(pool).Run(Note);
                break;
            case "options":
                _ = pool.Run(Note, new WorkOptions { Priority = WorkPriority.High });
                break;
            case "timer":
                _ = pool.RunAfter(TimeSpan.FromMilliseconds(1), Note);
                break;
            default:
                _ = pool.Run(() => pool.Run(Note));
                break;
        }

        return await seen.Task;
    }

    /// <summary>A culture that needs no data of the system: its name is its negative sign.</summary>
    private static CultureInfo Culture(string name)
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NegativeSign = name;
        return culture;
    }

    private static string NameOf(CultureInfo culture) => culture.NumberFormat.NegativeSign;

    private static NativeThreadPool With(NativeThreadPoolOptions options) => new(options);

    private static string AllowedProcessors() => File.ReadLines("/proc/thread-self/status")
        .First(static line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)).Split(':')[1].Trim();
}
