using System.Reflection;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Options;

/// <summary>A pool's options come from its section and are checked before anything starts.</summary>
public sealed class PoolOptionsTests
{
    private const string Section = "NativeThreading:Pools:reports";

    /// <summary>Key, value, and what the error says after the key.</summary>
    public static TheoryData<string, string, string> OutOfRange() => new()
    {
        { "MaxThreads", "0", "must be between 1 and 32767, but was 0." },
        { "MaxThreads", "-3", "must be between 1 and 32767, but was -3." },
        { "MaxThreads", "32768", "must be between 1 and 32767, but was 32768." },
        { "MinThreads", "-1", "must be between 0 and 4, but was -1." },
        { "MinThreads", "5", "must be between 0 and 4, but was 5." }, // MaxThreads is 4: the rule that spans two keys
        { "MaxBlockedThreads", "-1", "must be between 0 and 32767, but was -1." },
        { "MaxRescueThreads", "-1", "must be between 0 and 32767, but was -1." },
        { "IdleTimeout", "00:00:00", "must be positive or Timeout.InfiniteTimeSpan, but was 00:00:00." },
        { "LingerTime", "00:00:01", "must be between 0 and 10 ms, or null, but was 00:00:01." },
        { "ThreadPriority", "9", "must be between Lowest and Highest, but was 9." },
        { "MaxStackSize", "1", "must be 0, or between 262144 and 2147483647, but was 1." },
        { "Name", " ", "must not be null, empty or white space." },
        { "Name", "other", "must be 'reports', the name of the registration, but was 'other'." },
    };

    /// <summary>Key, value, and parts of the error.</summary>
    public static TheoryData<string, string, string[]> Unreadable() => new()
    {
        { "MaxThreads", "many", [$"'{Section}:MaxThreads'", "'many'", "Int32"] },
        { "MaxThreads", "99999999999", [$"'{Section}:MaxThreads'", "'99999999999'", "Int32"] },
        { "IdleTimeout", "soon", [$"'{Section}:IdleTimeout'", "'soon'", "TimeSpan"] },
        { "ThreadPriority", "Urgent", [$"'{Section}:ThreadPriority'", "'Urgent'", "ThreadPriority"] },
        { "UnhandledException", "crash", [$"{Section}:UnhandledException: ", "only in code"] },
    };

    [Theory]
    [MemberData(nameof(OutOfRange))]
    public async Task T100_OptionOutOfRange_FailsTheStart_WithFullKeyRangeAndValue(string key, string value, string message)
    {
        await using TestHost host = With(("MaxThreads", "4"), (key, value));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Contains($"{Section}:{key}: {key} {message}", refused.Failures);
    }

    [Theory]
    [MemberData(nameof(Unreadable))]
    public async Task ValueThatCannotBeRead_FailsTheStart_WithFullKeyAndValue(string key, string value, string[] parts)
    {
        await using TestHost host = With((key, value));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.All(parts, part => Assert.Contains(part, refused.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task MisspeltKeys_FailTheStart_EachWithTheKeysThereAre()
    {
        await using TestHost host = With(("MaxThread", "4"), ("maxthreads", "4"), ("Queue:Limit", "7"));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        const string known = "ApartmentState, Culture, IdleTimeout, LingerTime, MaxBlockedThreads, MaxConcurrentOperations, MaxRescueThreads, MaxStackSize, MaxThreads, MeasureQueueDuration, MinThreads, Name, Processors, QueueFullMode, QueueLimit, RecordItems, ThreadPriority, TraceItems, UICulture";
        Assert.Equal(
        [
            $"{Section}:MaxThread: unknown option. Known options are {known}.",
            $"{Section}:Queue: unknown option. Known options are {known}.",
        ],
        refused.Failures);
    }

    [Fact]
    public async Task MisspeltKeyOfAGroupOfLoops_FailsTheStart_WithTheKeysThereAre()
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup("io"), ("NativeThreading:EventLoops:io:Loops", "2"));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal(
            [
                "NativeThreading:EventLoops:io:Loops: unknown option. Known options are HandsOverWhenBlocked, HandsOverWhenComputing, LoopCount, "
                + "MaxBlockedThreads, MaxRescueThreads, MaxStackSize, Name, ThreadPriority.",
            ],
            refused.Failures);
    }

    /// <summary>Key, value, and the error.</summary>
    public static TheoryData<string, string, string> NotOneValue() => new()
    {
        { "MaxThreads:0", "4", "MaxThreads:0: MaxThreads accepts one value and no keys below it." },
        { "maxthreads:Value:Here", "4", "maxthreads:Value: MaxThreads accepts one value and no keys below it." },
        { "IdleTimeout:Seconds", "4", "IdleTimeout:Seconds: IdleTimeout accepts one value and no keys below it." },
        { "ThreadPriority", "Highest,Lowest", "ThreadPriority: ThreadPriority must be one of Lowest, BelowNormal, Normal, AboveNormal, Highest, but was 'Highest,Lowest'." },
        { "ThreadPriority", "Normal,", "ThreadPriority: ThreadPriority must be one of Lowest, BelowNormal, Normal, AboveNormal, Highest, but was 'Normal,'." },
        { "MaxThreads", "", "MaxThreads: MaxThreads must have a value, but was empty." }, // as of an environment variable that is set to nothing
        { "ThreadPriority", "", "ThreadPriority: ThreadPriority must have a value, but was empty." },
        { "QueueFullMode", "Wait, Reject", "QueueFullMode: QueueFullMode must be one of Reject, Wait, RunOnCaller, but was 'Wait, Reject'." },
    };

    [Theory]
    [MemberData(nameof(NotOneValue))]
    public async Task OptionOfAPoolWithoutExactlyOneValue_FailsAtStartup_WithFullKey(string key, string value, string message)
    {
        await using TestHost host = With((key, value));
        var rejected = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal([$"{Section}:{message}"], rejected.Failures);
    }

    [Theory]
    [InlineData("LoopCount:0", "2", "LoopCount:0: LoopCount accepts one value and no keys below it.")]
    [InlineData("HandsOverWhenBlocked:Always", "true", "HandsOverWhenBlocked:Always: HandsOverWhenBlocked accepts one value and no keys below it.")]
    [InlineData("LoopCount", "", "LoopCount: LoopCount must have a value, but was empty.")]
    [InlineData("ThreadPriority", "Highest,Lowest", "ThreadPriority: ThreadPriority must be one of Lowest, BelowNormal, Normal, AboveNormal, Highest, but was 'Highest,Lowest'.")]
    public async Task OptionOfAGroupOfLoopsWithoutExactlyOneValue_FailsAtStartup_WithFullKey(string key, string value, string message)
    {
        await using var host = new TestHost(services => services.AddEventLoopGroup("io"), ($"NativeThreading:EventLoops:io:{key}", value));
        var rejected = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal([$"NativeThreading:EventLoops:io:{message}"], rejected.Failures);
    }

    [Fact]
    public async Task EmptyValueOfAnOptionThatMayBeNull_IsNull()
    {
        await using TestHost host = With(("QueueLimit", ""), ("LingerTime", ""));
        await host.StartAsync();
        Assert.Null(host.Pool("reports").QueueLimit);
        await host.StopAsync();
    }

    [Fact]
    public async Task EveryErrorOfAPool_IsToldAtOnce()
    {
        await using TestHost host = With(("MaxThreads", "0"), ("MinThreads", "-1"), ("MaxStackSize", "7"));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal(
            [$"{Section}:MaxThreads: ", $"{Section}:MinThreads: ", $"{Section}:MaxStackSize: "],
            refused.Failures.Select(failure => failure[..(failure.IndexOf(' ', StringComparison.Ordinal) + 1)]));
    }

    [Fact]
    public async Task OptionSetByCode_IsCheckedTheSame()
    {
        await using var host = new TestHost(services => services.AddNativeThreadPool("reports", options => options.MaxThreads = -1));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);
        Assert.Equal([$"{Section}:MaxThreads: MaxThreads must be between 1 and 32767, but was -1."], refused.Failures);
    }

    [Fact]
    public async Task WithoutAHost_ThePoolIsRefusedWhenItIsAskedFor()
    {
        await using TestHost host = With(("MaxThreads", "0"));
        Assert.Throws<OptionsValidationException>(() => host.Pool("reports"));
    }

    [Fact]
    public async Task Section_IsBound_AndCodeSeesAndOverridesIt()
    {
        int configured = 0;
        await using var host = new TestHost(
            services => services.AddNativeThreadPool("reports", options =>
            {
                configured = options.MaxThreads;
                options.MinThreads = 2;
            }),
            ($"{Section}:MaxThreads", "7"),
            ($"{Section}:MinThreads", "1"),
            ($"{Section}:MaxBlockedThreads", "9"),
            ($"{Section}:IdleTimeout", "00:00:05"),
            ($"{Section}:LingerTime", "00:00:00.001"),
            ($"{Section}:ThreadPriority", "BelowNormal"),
            ($"{Section}:MaxStackSize", "262144"),
            ($"{Section}:MeasureQueueDuration", "true"));
        NativeThreadPool pool = host.Pool("reports");
        Assert.Equal((7, 7, 2, 9), (configured, pool.MaxThreads, pool.MinThreads, pool.MaxBlockedThreads));
        NativeThreadPoolOptions options = host.Provider.GetRequiredService<IOptionsMonitor<NativeThreadPoolOptions>>().Get("reports");
        Assert.Equal((TimeSpan.FromSeconds(5), TimeSpan.FromMilliseconds(1)), (options.IdleTimeout, options.LingerTime));
        Assert.Equal((ThreadPriority.BelowNormal, 262144, true), (options.ThreadPriority, options.MaxStackSize, options.MeasureQueueDuration));
    }

    /// <summary>Fails for a new option that the generated code leaves out.</summary>
    [Fact]
    public async Task EveryOptionButDelegates_CanBeConfigured()
    {
        foreach (PropertyInfo property in typeof(NativeThreadPoolOptions).GetProperties())
        {
            string option = property.Name;
            await using TestHost host = With((option, "?"));
            Exception? refused = Record.Exception(() => host.Pool("reports"));
            Assert.DoesNotContain("ErrorOnUnknownConfiguration", refused?.Message, StringComparison.Ordinal);
            bool byCode = refused?.Message.Contains("only in code", StringComparison.Ordinal) == true;
            Assert.True(refused is not null && byCode == (property.PropertyType.IsSubclassOf(typeof(Delegate)) || property.PropertyType == typeof(IWorkObserver)), $"{option}: {refused?.Message}");
        }
    }

    [Fact]
    public async Task TwoPools_HaveTheirOwnSections()
    {
        await using var host = new TestHost(
            services =>
            {
                services.AddNativeThreadPool("reports");
                services.AddNativeThreadPool("mail");
            },
            ($"{Section}:MaxThreads", "7"),
            ("NativeThreading:Pools:mail:MaxThreads", "5"));
        Assert.Equal((7, 5), (host.Pool("reports").MaxThreads, host.Pool("mail").MaxThreads));
    }

    private static TestHost With(params (string Key, string Value)[] values) => new(
        services => services.AddNativeThreadPool("reports"),
        [.. values.Select(value => ($"{Section}:{value.Key}", (string?)value.Value))]);
}
