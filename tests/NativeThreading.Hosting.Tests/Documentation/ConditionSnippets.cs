using NativeThreading.Hosting.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NativeThreading.Hosting;

namespace NativeThreading.Hosting.Tests.Documentation;

/// <summary>The code of docs/reference/conditions.md.</summary>
public sealed class ConditionSnippets
{
    [Fact]
    public async Task Verdicts_AreReadFromTheService()
    {
        await using TestHost host = await new TestHost(static services => services.AddNativeThreadPool("reports")).StartAsync();
        PoolConditions conditions = host.Provider.GetRequiredService<PoolConditions>();
foreach (Verdict verdict in conditions.Verdicts)
{
    Console.WriteLine(verdict); // reports: 24 of 24 threads blocked (limit reached), 100 % in GET /report, since 11:19:32 UTC
}
        Assert.DoesNotContain(conditions.Verdicts, static verdict => verdict.Subject == "reports");
    }

    [Fact]
    public void TheCheckInterval_IsAnOption()
    {
        var services = new ServiceCollection();
services.Configure<ConditionOptions>(options => options.CheckInterval = TimeSpan.FromSeconds(1));
        using ServiceProvider provider = services.BuildServiceProvider();
        Assert.Equal(TimeSpan.FromSeconds(1), provider.GetRequiredService<IOptions<ConditionOptions>>().Value.CheckInterval);
    }
}
