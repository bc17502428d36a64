using System.Globalization;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Kestrel;

/// <summary>All runs of one scenario, and the rows they make: loops compared with Kestrel's sockets, with requests where it is learned that they may run,
/// and on the loops. The other sides stand in the note.</summary>
internal sealed class Answers
{
    private readonly Dictionary<(string Side, Measure Measure), List<double>> _values = [];
    private readonly List<Measure> _measures = []; // in the order in which they came

    public void Add(string side, IEnumerable<Measured> run)
    {
        foreach ((Measure measure, double value) in run)
        {
            if (!_measures.Contains(measure))
            {
                _measures.Add(measure);
            }

            if (!_values.TryGetValue((side, measure), out List<double>? values))
            {
                _values[(side, measure)] = values = [];
            }

            values.Add(value);
        }
    }

    public IEnumerable<RowResult> Rows(string name, string load)
    {
        foreach ((string side, string prefix) in ((string, string)[])[(Side.Loops, ""), (Side.Alone, "on-loops/")])
        {
            foreach (Measure measure in _measures)
            {
                yield return new RowResult(
                    $"{prefix}{name}/{measure.Name}", measure.Unit, measure.Better, Summary(side, measure), Summary(Side.Default, measure),
                    $"sockets inline {Text(Side.Inline, measure)}, loops with requests on a NativeThreading pool {Text(Side.Pool, measure)}; {load}");
            }
        }
    }

    private Sample Summary(string side, Measure measure) => new(
        Median(side, measure) ?? throw new MeasurementException($"{measure.Name} was not measured of {side}."),
        Median(side, Measure.Cpu) * 1000,
        Median(side, Measure.Switches));

    private string Text(string side, Measure measure) => Median(side, measure)?.ToString(measure.Format, CultureInfo.InvariantCulture) ?? "not measured";

    private double? Median(string side, Measure measure) =>
        _values.TryGetValue((side, measure), out List<double>? values) ? Statistics.Median(values) : null;
}
