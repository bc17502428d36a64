using System.Globalization;
using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tuning;

/// <summary>native/src/tuning.h: the numbers of one of its sections, by their names.</summary>
internal static partial class TuningHeader
{
    /// <param name="title">How the title of the section begins.</param>
    public static Dictionary<string, long> Section(string title)
    {
        string text = File.ReadAllText(Path.Combine(SourceTree.Root, "native", "src", "tuning.h"));
        string section = Titles().Split(text).Single(part => part.StartsWith(title, StringComparison.Ordinal));
        return Constant().Matches(section).ToDictionary(static match => match.Groups[1].Value, static match => Product(match.Groups[2].Value));
    }

    private static long Product(string factors) =>
        factors.Split('*').Aggregate(1L, static (product, factor) => product * long.Parse(factor.Trim(), CultureInfo.InvariantCulture));

    [GeneratedRegex(@"^/\* -+ ", RegexOptions.Multiline)]
    private static partial Regex Titles();

    [GeneratedRegex(@"(NTH__\w+) = ([\d *]+)")]
    private static partial Regex Constant();
}
