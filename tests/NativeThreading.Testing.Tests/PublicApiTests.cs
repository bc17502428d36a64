using System.Reflection;
using NativeThreading.Tests.PublicApi;

namespace NativeThreading.Testing.Tests;

/// <summary>Nobody changes the public surface of NativeThreading.Testing without noticing.</summary>
public sealed class PublicApiTests
{
    private const string Accept = "NTH_ACCEPT_API";

    [Fact]
    public void PublicSurface_IsTheApprovedOne()
    {
        string file = typeof(PublicApiTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(data => data.Key == "PublicApi").Value!;
        string[] actual = PublicSurface.Print(typeof(ManualThreadPool).Assembly);
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllLines(file, actual);
        }

        string[] difference = [.. PublicSurface.Difference(File.ReadAllLines(file), actual)];
        Assert.True(
            difference.Length == 0,
            $"The public surface of NativeThreading.Testing differs (- approved, + actual); {Accept}=1 accepts it:\n{string.Join('\n', difference)}");
    }
}
