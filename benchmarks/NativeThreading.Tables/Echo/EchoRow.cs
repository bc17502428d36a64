using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Echo;

/// <summary>The runs with one number of connections: what the load saw, server by server.</summary>
internal sealed class EchoRow(int connections, EchoLoad load, IReadOnlyList<EchoServerProcess> servers)
{
    private readonly Dictionary<string, List<LoadResult>> _results = servers.ToDictionary(s => s.Name, _ => new List<LoadResult>());

    public int Connections => connections;

    public string Name(string measure) => $"echo/{connections}/{measure}";

    public Row ToMeasure()
    {
        Contender[] contenders = [.. servers.Select(s => new Contender(s.Name, () => Run(s)))];
        return new Row(Name("messages"), "messages/s", Better.Higher, contenders[0], contenders[1..]) { Decimals = 0 };
    }

    /// <summary>System calls a message of every server, in one run without a clock; null where they cannot be counted.</summary>
    public RowResult? CountSystemCalls(out string? whyNot)
    {
        Dictionary<string, Sample> counts = [];
        foreach (EchoServerProcess server in servers)
        {
            using var counter = new SystemCallCounter(server.Id);
            load.Count(server, connections, counter.Begin);
            whyNot = counter.WhyNot;
            if (whyNot is not null)
            {
                return null;
            }

            counts[server.Name] = new Sample(Math.Round((double)counter.End() / load.CountedMessages, 3), null, null);
        }

        whyNot = null;
        return new RowResult(
            Name("system-calls"), "calls/message", Better.Lower, counts[Contender.Native],
            counts.Where(c => c.Key != Contender.Native).ToDictionary(), Note: null);
    }

    /// <summary>Median of what <paramref name="measure"/> takes from the last <paramref name="runs"/> runs of a server:
    /// those before were to warm up.</summary>
    public double Median(string server, int runs, Func<LoadResult, double> measure) =>
        Statistics.Median(_results[server].TakeLast(runs).Select(measure));

    private Sample Run(EchoServerProcess server)
    {
        LoadResult result = load.Measure(server, connections);
        _results[server.Name].Add(result);
        return new Sample(result.Messages / result.Seconds, result.ServerCpuNanoseconds / result.Messages, null);
    }
}
