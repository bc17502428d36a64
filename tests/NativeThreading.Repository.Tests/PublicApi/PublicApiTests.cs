using System.Reflection;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.PublicApi;

/// <summary>No change of the public surface of a package goes unnoticed.</summary>
public sealed class PublicApiTests
{
    private const string Accept = "NTH_ACCEPT_API";

    [Theory]
    [InlineData("NativeThreading")]
    [InlineData("NativeThreading.AspNetCore")]
    [InlineData("NativeThreading.Dashboard")]
    [InlineData("NativeThreading.EventLoops")]
    [InlineData("NativeThreading.EventLoops.Hosting")]
    [InlineData("NativeThreading.Hosting")]
    [InlineData("NativeThreading.Kestrel")]
    [InlineData("NativeThreading.Quartz")]
    [InlineData("NativeThreading.Testing")]
    public void PublicSurface_IsTheApprovedOne(string package)
    {
        string file = Path.Combine(SourceTree.Root, "tests", "NativeThreading.Repository.Tests", "PublicApi", $"{package}.txt");
        string[] actual = PublicSurface.Print(Assembly.Load(package));
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
                The public surface of {package} differs from the approved one (- approved, + actual):

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
