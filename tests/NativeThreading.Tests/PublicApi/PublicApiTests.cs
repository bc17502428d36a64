using NativeThreading.Tests.Interop;

namespace NativeThreading.Tests.PublicApi;

/// <summary>Nobody changes the public surface of the core assembly without noticing.</summary>
public sealed class PublicApiTests
{
    private const string Accept = "NTH_ACCEPT_API";

    [Fact]
    public void PublicSurface_IsTheApprovedOne()
    {
        string file = Path.Combine(Repository.Root, "tests", "NativeThreading.Tests", "PublicApi.txt");
        string[] actual = PublicSurface.Print(typeof(NativeThreadPool).Assembly);
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            File.WriteAllLines(file, actual);
        }

        string[] approved = File.ReadAllLines(file);
        string[] difference = [.. PublicSurface.Difference(approved, actual)];
        if (difference.Length != 0)
        {
            Assert.Fail(
                $"""
                The public surface of NativeThreading differs from the approved one (- approved, + actual):

                {string.Join('\n', difference)}

                If that is intended: `{Accept}=1 dotnet test --filter {nameof(PublicSurface_IsTheApprovedOne)}` rewrites
                {file}; commit it with the change.
                """);
        }
    }

    [Fact]
    public void Difference_NamesWhatWasAddedAndWhatWasRemoved() =>
        Assert.Equal(
            ["  class A", "- int M()", "+ int M(int)"],
            PublicSurface.Difference(["class A", "    int M()", "    int N()"], ["class A", "    int M(int)", "    int N()"]));
}
