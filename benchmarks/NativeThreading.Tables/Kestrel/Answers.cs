using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Kestrel;

/// <summary>
/// All runs of one scenario, and the rows they make: loops beside Kestrel's sockets, with requests where it
/// is learned that they may run, and on the loops. The other sides stand in the note.
/// </summary>
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
        foreach ((string side, string prefix) in ((string, string)[])[(Side.Loops, ""), (Side.Alone, "on-loops/")])
        {
            yield return Row("rps", "answers/s", Better.Higher, static run => run.PerSecond, "N0");
            yield return Row("cpu", "us CPU", Better.Lower, static run => run.CpuMicroseconds, "N1");
            yield return Row("p99", "ms", Better.Lower, static run => run.P99Milliseconds, "N2");

            RowResult Row(string measure, string unit, Better better, Func<Answered, double> value, string format)
            {
                string inline = Text(Side.Inline), pool = Text(Side.Pool);
                return new RowResult($"{prefix}{name}/{measure}", unit, better, Median(side, value), Median(Side.Default, value),
                    $"sockets inline {inline}, loops with requests on a pool of ours {pool}; {load}");

                string Text(string other) => Median(other, value).Value.ToString(format, CultureInfo.InvariantCulture);
            }
        }
    }

    private Sample Median(string side, Func<Answered, double> value) => new(Statistics.Median(_bySide[side].Select(value)), null, null);
}
