using System.Globalization;
using System.Text.RegularExpressions;

namespace NativeThreading.Tests.Support;

/// <summary>native_threading.h, read as text: its functions and its constants.</summary>
internal static partial class NativeHeader
{
    private static readonly string s_text = WithoutComments(
        File.ReadAllText(Path.Combine(SourceTree.Root, "native", "include", "native_threading.h")));

    /// <summary>A prototype, with its types as C spells them.</summary>
    public sealed record Function(string Name, string Result, string[] Parameters);

    public static string Text => s_text;

    public static IReadOnlyDictionary<string, Function> Functions { get; } = Prototype().Matches(s_text).ToDictionary(
        match => match.Groups["name"].Value,
        match => new Function(
            match.Groups["name"].Value,
            Spaced(match.Groups["result"].Value),
            [.. match.Groups["parameters"].Value.Split(',').Select(TypeOf).Where(type => type != "void")]));

    /// <summary>Every NTH_ constant, of a #define or an enum.</summary>
    public static IReadOnlyDictionary<string, long> Constants { get; } = Constant().Matches(s_text).ToDictionary(
        match => match.Groups["name"].Value,
        match => Number(match.Groups["value"].Value) << (match.Groups["shift"] is { Success: true } shift ? (int)Number(shift.Value) : 0));

    private static string TypeOf(string parameter) => Spaced(ParameterName().Replace(parameter.Trim(), ""));

    private static string Spaced(string type) => Space().Replace(type.Replace("*", " * ", StringComparison.Ordinal), " ").Trim();

    private static long Number(string digits) => long.Parse(digits, CultureInfo.InvariantCulture);

    private static string WithoutComments(string text) => Comment().Replace(text, " ");

    [GeneratedRegex(@"/\*.*?\*/", RegexOptions.Singleline)]
    private static partial Regex Comment();

    [GeneratedRegex(@"NTH_API\s+(?<result>[\w\s*]+?)(?<name>nth_\w+)\s*\((?<parameters>[^)]*)\)\s*;")]
    private static partial Regex Prototype();

    [GeneratedRegex(@"(#define\s+)?(?<name>NTH_[A-Z_]+)\s*=?\s*(?<value>\d+)(\s*<<\s*(?<shift>\d+))?")]
    private static partial Regex Constant();

    [GeneratedRegex(@"\b\w+$(?<!\bvoid)")]
    private static partial Regex ParameterName();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Space();
}
