using NativeThreading.Instrumentation;

namespace NativeThreading.Tables.Harness;

/// <summary>The places of a sum of counters by their names.</summary>
internal static class CounterNames
{
    public static string[] All { get; } =
    [
        .. Enum.GetNames<Counted>().SkipLast(2),
        .. Sizes("transfers of "),
        .. Sizes("steals of "),
    ];

    public static long[] Difference(long[] before, long[] after) => [.. after.Zip(before, static (a, b) => a - b)];

    private static IEnumerable<string> Sizes(string of) => Enumerable.Range(0, Counters.Sizes).Select(size =>
        of + (size == 0 ? "1" : size == Counters.Sizes - 1 ? $"{1 << size} and more" : $"{1 << size} to {(2 << size) - 1}"));
}
