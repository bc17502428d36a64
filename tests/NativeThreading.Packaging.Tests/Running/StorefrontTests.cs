using System.Diagnostics;
using System.Text.RegularExpressions;
using NativeThreading.Packaging.Tests.Content;
using NativeThreading.Packaging.Tests.Support;

namespace NativeThreading.Packaging.Tests.Running;

/// <summary>T95: the sample of an ASP.NET application, built from the packages instead of the projects.</summary>
public sealed partial class StorefrontTests(PackageFeed feed)
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task T95_Storefront_Serves() => await AssertServesAsync("SelfContained=false");

    [Fact, Trait("Category", "Long")]
    public async Task T97_Storefront_TrimmedWithoutAWarning_Serves() => await AssertServesAsync("PublishTrimmed=true");

    [Theory, Trait("Category", "Long")]
    [InlineData("net9.0")]
    public async Task T95_Storefront_ForAnEarlierFramework_WithItsRuntime_Serves(string framework) =>
        await AssertServesAsync("SelfContained=true", $"ConsumerFramework={framework}");

    private async Task AssertServesAsync(params string[] properties)
    {
        PublishedProgram program = await new Consumer(feed, "Storefront", Path.Combine("samples", "Storefront"))
            .PublishAsync([$"RuntimeIdentifier={NativePlatforms.Own}", .. properties]);

        ProcessStartInfo start = program.Executable("--urls", "http://127.0.0.1:0");
        start.WorkingDirectory = program.Location;
        start.RedirectStandardOutput = true;
        using Process server = Process.Start(start)!;
        try
        {
            using var timeout = new CancellationTokenSource(s_deadline);
            using var client = new HttpClient { BaseAddress = await AddressAsync(server, timeout.Token) };

            Assert.Contains("Product 7", await client.GetStringAsync(new Uri("/products/7", UriKind.Relative), timeout.Token), StringComparison.Ordinal);
            Assert.Contains("Sales", await client.GetStringAsync(new Uri("/reports/sales", UriKind.Relative), timeout.Token), StringComparison.Ordinal);
            Assert.Contains("Stock", await client.GetStringAsync(new Uri("/reports/stock", UriKind.Relative), timeout.Token), StringComparison.Ordinal);
            Assert.Contains(NativeLibraryOf(server), library => library.StartsWith(program.Location, StringComparison.Ordinal));

            // As a service manager stops it: everything is drained, and the exit code says so.
            using Process kill = Process.Start("kill", ["-TERM", $"{server.Id}"]);
            await server.WaitForExitAsync(timeout.Token);
            Assert.Equal(0, server.ExitCode);
        }
        finally
        {
            if (!server.HasExited)
            {
                server.Kill();
            }
        }
    }

    private static string[] NativeLibraryOf(Process process) =>
        [.. File.ReadAllLines($"/proc/{process.Id}/maps").Where(line => line.EndsWith(PublishedProgram.NativeLibraryName, StringComparison.Ordinal)).Select(line => line.Split(' ')[^1])];

    private static async Task<Uri> AddressAsync(Process server, CancellationToken cancellation)
    {
        while (await server.StandardOutput.ReadLineAsync(cancellation) is { } line)
        {
            if (Ready().Match(line) is { Success: true } ready)
            {
                return new Uri(ready.Groups[1].Value);
            }
        }

        throw new InvalidOperationException($"The server ended before it was ready, exit code {(server.WaitForExit(s_deadline) ? server.ExitCode : -1)}.");
    }

    [GeneratedRegex(@"^ready (http://\S+)")]
    private static partial Regex Ready();
}
