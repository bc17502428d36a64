using NativeThreading.Hosting.Tests.Support;
using NativeThreading.Tests.PublicApi;

namespace NativeThreading.Hosting.Tests;

/// <summary>Nobody changes the public surface of the hosting assembly without noticing.</summary>
public sealed class PublicApiTests
{
    private const string Accept = "NTH_ACCEPT_API";

    [Fact]
    public void PublicSurface_IsTheApprovedOne()
    {
        string file = Path.Combine(Repository.Root, "tests", "NativeThreading.Hosting.Tests", "PublicApi.txt");
        string[] actual = PublicSurface.Print(typeof(NativeThreadPoolHealthCheckOptions).Assembly);
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllLines(file, actual);
        }

        string[] difference = [.. PublicSurface.Difference(File.ReadAllLines(file), actual)];
        Assert.True(
            difference.Length == 0,
            $"The public surface differs from the approved one (- approved, + actual):\n{string.Join('\n', difference)}\n"
            + $"If that is intended: {Accept}=1 dotnet test --filter {nameof(PublicSurface_IsTheApprovedOne)}, and commit the file.");
    }
}
