using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Core;

/// <summary>The means of several runs of the table quwi: one for each queue and run.</summary>
internal sealed class QuwiMeans
{
    private readonly Dictionary<string, List<Sample>> _runs = Queues.ToDictionary(static queue => queue, static _ => new List<Sample>());

    /// <summary>The names of the means.</summary>
    public static string[] Queues { get; } = ["quwi/global", "quwi/local"];

    public void Add(TableResult table)
    {
        foreach (string queue in Queues)
        {
            string cells = string.Concat(queue.AsSpan("quwi/".Length), "/");
            Sample[] ours = [.. table.Rows.Where(row => row.Name.StartsWith(cells, StringComparison.Ordinal)).Select(static row => row.Native)];
            double value = Statistics.Geomean([.. ours.Select(static cell => cell.Value)])
                ?? throw new MeasurementException($"the table quwi has no cells of {queue}.");
            double? cpu = ours.All(static cell => cell.CpuNanoseconds is > 0)
                ? Statistics.Geomean([.. ours.Select(static cell => cell.CpuNanoseconds!.Value)])
                : null;
            _runs[queue].Add(new Sample(value, cpu, null));
        }
    }

    public Sample Median(string queue) => Statistics.Median(_runs[queue], null);
}
