using System.Reflection;
using NativeThreading.Tests.PublicApi;

namespace NativeThreading.AspNetCore.Tests.PublicApi;

/// <summary>Nobody changes the public surface of the package without noticing.</summary>
public sealed class PublicApiTests
{
    private const string Accept = "NTH_ACCEPT_API";

    [Fact]
    public void PublicSurface_IsTheApprovedOne()
    {
        string directory = typeof(PublicApiTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "TestDirectory").Value!;
        string file = Path.Combine(directory, "PublicApi.txt");
        string[] actual = PublicSurface.Print(typeof(NativeThreadPoolRequestOptions).Assembly);
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllLines(file, actual);
        }

        string[] difference = [.. PublicSurface.Difference(File.ReadAllLines(file), actual)];
        Assert.True(
            difference.Length == 0,
            $"The public surface differs from {file} (- approved, + actual); {Accept}=1 accepts it:\n{string.Join('\n', difference)}");
    }
}
