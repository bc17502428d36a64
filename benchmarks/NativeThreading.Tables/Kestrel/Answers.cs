using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Kestrel;

/// <summary>All runs of one scenario, and the rows they make: loops beside Kestrel's sockets. The other sides stand in the note.</summary>
internal sealed class Answers
{
    private readonly Dictionary<string, List<Answered>> _bySide = [];

    public void Add(string side, Answered answered)
    {
        if (!_bySide.TryGetValue(side, out List<Answered>? runs))
        {
            _bySide[side] = runs = [];
        }

        runs.Add(answered);
    }

    public IEnumerable<RowResult> Rows(string name, string load)
    {
        yield return Row("rps", "answers/s", Better.Higher, static run => run.PerSecond, "N0");
        yield return Row("cpu", "us CPU", Better.Lower, static run => run.CpuMicroseconds, "N1");
        yield return Row("p50", "ms", Better.Lower, static run => run.P50Milliseconds, "N2");
        yield return Row("p99", "ms", Better.Lower, static run => run.P99Milliseconds, "N2");

        RowResult Row(string measure, string unit, Better better, Func<Answered, double> value, string format)
        {
            string inline = Text(Side.Inline), pool = Text(Side.Pool), alone = Text(Side.Alone);
            return new RowResult($"{name}/{measure}", unit, better, Median(Side.Loops, value), Median(Side.Default, value),
                $"sockets inline {inline}, loops with requests on a pool of ours {pool}, on the loops {alone}; {load}");

            string Text(string side) => Median(side, value).Value.ToString(format, CultureInfo.InvariantCulture);
        }
    }

    private Sample Median(string side, Func<Answered, double> value) => new(Statistics.Median(_bySide[side].Select(value)), null, null);
}
