using System.Text.RegularExpressions;

namespace NativeThreading.Packaging.Tests.Support;

/// <summary>Skips a test for what a machine lacks, and for nothing that the packages do wrong.</summary>
internal static partial class Requirement
{
    public static void Program(string name) =>
        Assert.SkipUnless(
            (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(directory => System.IO.File.Exists(Path.Combine(directory, name))),
            $"Needs {name} on PATH.");

    public static void File(string path) => Assert.SkipUnless(System.IO.File.Exists(path), $"Needs {path}.");

    /// <summary>A runtime or compiler that no package source here has, or that cannot be had without a network.</summary>
    public static void Restorable(string output)
    {
        string? missing = Unrestorable().Matches(output).Select(match => match.Value)
            .FirstOrDefault(line => !line.Contains("NativeThreading", StringComparison.Ordinal));
        Assert.SkipWhen(missing is not null, $"Needs a package that cannot be had here: {missing}");
    }

    [GeneratedRegex(@"error NU1(101|102|301):.*")]
    private static partial Regex Unrestorable();
}
