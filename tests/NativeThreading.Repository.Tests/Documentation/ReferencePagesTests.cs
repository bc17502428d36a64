using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The pages of docs/reference list what the code has: options, exceptions, and public types.</summary>
public sealed partial class ReferencePagesTests
{
    [Fact]
    public void AppSettings_SetEveryOption()
    {
        string json = Json().Match(Page("options.md")).Groups[1].Value;
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        IConfigurationRoot configuration = new ConfigurationBuilder().AddJsonStream(stream).Build();
        var services = new ServiceCollection();
        services.AddSingleton<IConfiguration>(configuration);
        services.AddNativeThreadPool("reports");
        services.AddEventLoopGroup("io");
        using ServiceProvider provider = services.BuildServiceProvider();

        AssertBound(configuration.GetSection("NativeThreading:Pools:reports"), provider.GetRequiredService<IOptionsMonitor<NativeThreadPoolOptions>>().Get("reports"));
        AssertBound(configuration.GetSection("NativeThreading:EventLoops:io"), provider.GetRequiredService<IOptionsMonitor<EventLoopGroupOptions>>().Get("io"));
    }

    [Theory]
    [InlineData(typeof(NativeThreadPoolOptions))]
    [InlineData(typeof(EventLoopGroupOptions))]
    [InlineData(typeof(NativeThreading.Dashboard.DashboardOptions))]
    [InlineData(typeof(NativeThreading.AspNetCore.NativeThreadPoolRequestOptions))]
    [InlineData(typeof(NativeThreading.Hosting.NativeThreadPoolHealthCheckOptions))]
    [InlineData(typeof(NativeThreading.Quartz.NativeThreadPoolJobOptions))]
    public void OptionsPage_HasEveryOption(Type options) => AssertNone(options.GetProperties().Select(static option => option.Name)
        .Where(static name => !Regex.IsMatch(Page("options.md"), $@"^\| [^|]*\b{name}`", RegexOptions.Multiline)));

    /// <summary>Each exception that a package creates, and each warning that its build targets raise.</summary>
    [Fact]
    public void ErrorsPage_HasEveryException()
    {
        string[] raised =
        [
            .. SourceTree.Sources.SelectMany(static file => Exceptions().Matches(File.ReadAllText(file))).Select(static match => match.Groups[1].Value),
            .. SourceTree.Files("src", "*.targets").Where(static file => file.Contains("buildTransitive", StringComparison.Ordinal))
                .SelectMany(static file => Warnings().Matches(File.ReadAllText(file))).Select(static match => match.Groups[1].Value),
        ];
        Assert.Contains("NTH0003", raised);
        Assert.Contains("QueueFullException", raised);
        AssertNone(raised.Distinct().Where(static name => !Page("errors.md").Contains(name, StringComparison.Ordinal)));
    }

    [Fact]
    public void ErrorsPage_HasNoExceptionThatTheCodeLacks()
    {
        string sources = string.Concat(SourceTree.Sources.Select(File.ReadAllText));
        AssertNone(Named().Matches(Page("errors.md")).Select(static match => match.Groups[1].Value).Distinct().Where(name => !sources.Contains(name, StringComparison.Ordinal)));
    }

    [Fact]
    public void OverviewPage_HasEveryPublicType()
    {
        string[] types =
        [
            .. SourceTree.Files("tests/NativeThreading.Repository.Tests/PublicApi", "*.txt").SelectMany(File.ReadLines)
                .Select(static line => PublicType().Match(line)).Where(static match => match.Success).Select(static match => match.Groups[1].Value),
        ];
        Assert.True(types.Length > 50, $"{types.Length} types");
        AssertNone(types.Where(static type => !Regex.IsMatch(Page("api-overview.md"), $@"`{type}`")));
    }

    /// <summary>The page sets each option that configuration can set, to a value that the options have afterwards.</summary>
    private static void AssertBound(IConfigurationSection section, object options)
    {
        PropertyInfo[] settable = [.. options.GetType().GetProperties().Where(static option => option.Name is not ("Name" or nameof(NativeThreadPoolOptions.WorkObserver)) && !typeof(Delegate).IsAssignableFrom(option.PropertyType))];
        Assert.Equal(settable.Select(static option => option.Name).Order(), section.GetChildren().Select(static child => child.Key).Order());
        Assert.All(settable, option => Assert.Equal(section.GetSection(option.Name).Get(option.PropertyType), option.GetValue(options)));
    }

    private static void AssertNone(IEnumerable<string> missing) => Assert.Equal("", string.Join(", ", missing));

    private static string Page(string name) => File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "reference", name));

    [GeneratedRegex(@"```json\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Json();

    [GeneratedRegex(@"\b(?:new (?:\w+\.)*|class )(\w+Exception)\b")]
    private static partial Regex Exceptions();

    [GeneratedRegex(@"<Warning Code=""(\w+)""")]
    private static partial Regex Warnings();

    [GeneratedRegex(@"`(\w+Exception)`")]
    private static partial Regex Named();

    [GeneratedRegex(@"^(?:(?:static|sealed|abstract) )*(?:class|struct|interface|enum) (?:\w+\.)*?(\w+(?:\.Awaiter)?)(?= :|$|<)")]
    private static partial Regex PublicType();
}
