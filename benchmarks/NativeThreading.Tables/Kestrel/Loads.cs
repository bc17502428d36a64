using NativeThreading.Tables.Isolation;
using NativeThreading.Tables.Kestrel.Clients;
using NativeThreading.Tables.Processes;
using NativeThreading.Workloads.Http;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tables.Kestrel;

/// <summary>Runs one scenario against one server.</summary>
internal sealed class Loads(IHttpLoad http)
{
    private const int WarmUpConnections = 32;

    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);

    private readonly H2Load _http2 = new();
    private readonly WebSocketLoad _webSocket = new();
    private readonly PacedLoad _paced = new();

    public IReadOnlyList<Measured> Run(Scenario scenario, Side side, TimeSpan window)
    {
        if (!scenario.NeedsNewServer)
        {
            return [.. Run(scenario, side.Name, side.Server, window)];
        }

        window *= scenario.Windows;
        using ServerProcess server = side.Server.StartAnother();
        http.RunAsync(new Uri(server.Addresses[0], "json"), WarmUpConnections, s_warmUp).GetAwaiter().GetResult();
        return [.. scenario.Idles ? IdleRun.Of(scenario, server, window) : Run(scenario, side.Name, server, window)];
    }

    /// <summary>System calls for an answer; null where nothing here can count them.</summary>
    public Measured? CountCalls(Scenario scenario, Side side, SystemCallTool tool, TimeSpan window)
    {
        HttpLoadResult? result = null;
        long? calls = tool.Count(side.Server.Id, under => result = Ask(scenario, side.Server, window, under));
        return calls / (double?)result?.Answers is double each and > 0 ? new Measured(Measure.SystemCalls, each) : null;
    }

    public string Note(Scenario scenario)
    {
        string load = Of(scenario).Name;
        string server = scenario.NeedsNewServer ? "; a new server for each run" : "";
        return load + server + scenario switch
        {
            { Pipelined: > 1 and int requests } => $", {requests} requests at once",
            { Idles: true } => ", behind a request for each connection",
            { BesideComputing: > 0 } => $"; next to a connection that repeats 98 cheap requests and 2 that compute for {scenario.BesideComputing} ms, to {scenario.ComputingEndpoints} endpoint(s)",
            { Windows: > 1 } => "; the seconds in which the built-in pool grows are part of it",
            { MayStarve: true } => "; a window without any answer counts as one",
            { BesideGreedy: true } => "; next to a connection of the built-in client that sends requests without end",
            _ => "",
        };
    }

    private IHttpLoad Of(Scenario scenario) => scenario switch
    {
        { Wire: Wire.Http2 } => _http2,
        { Wire: Wire.WebSocket } => _webSocket,
        { BesideComputing: > 0 } => _paced,
        _ => http,
    };

    private IEnumerable<Measured> Run(Scenario scenario, string side, ServerProcess server, TimeSpan window)
    {
        HttpLoadResult? alone = scenario.IsMeasuredAlone ? Ask(scenario, server, window, []) : null;
        Company? company = scenario.HasCompany ? Company.Begin(scenario, server.Addresses[0], http, window) : null;
        ServerUsage before = ServerUsage.Of(server);
        HttpLoadResult result = Ask(scenario, server, window, []);
        ServerUsage usage = ServerUsage.Of(server).Since(before);
        double? others = company?.End();
        if (result.Answers == 0 && !scenario.MayStarve)
        {
            throw new MeasurementException($"{scenario.Name}: {side} answered nothing.");
        }

        // Where all threads are blocked, a window without an answer counts as one answer, which took it all.
        double answers = Math.Max(1, result.Answers), rate = answers / result.Seconds;
        double allAnswers = answers + (scenario.BesideGreedy ? others!.Value * result.Seconds : 0);
        yield return new(Measure.Rate, rate);
        yield return new(Measure.Cpu, usage.CpuMicroseconds / allAnswers);
        if (scenario.Pipelined == 1)
        {
            // wrk adds to the latencies that it has seen those of requests that it thinks it should have sent, which makes nonsense of batches.
            yield return new(Measure.P50, result.P50Milliseconds);
            yield return new(Measure.P99, result.P99Milliseconds);
            yield return new(Measure.P999, result.P999Milliseconds);
        }

        yield return new(Measure.Switches, usage.Switches / allAnswers);
        if (scenario.BesideGreedy)
        {
            yield return new(Measure.Greedy, others!.Value);
        }

        if (scenario.BesideComputing > 0)
        {
            yield return new(Measure.Stalled, 100 * result.Stalled);
        }

        if (alone is not null)
        {
            yield return new(Measure.RateAlone, alone.Answers / alone.Seconds);
            yield return new(Measure.RateOverAlone, rate / (alone.Answers / alone.Seconds));
            yield return new(Measure.P50Alone, alone.P50Milliseconds);
            yield return new(Measure.P50OverAlone, result.P50Milliseconds / alone.P50Milliseconds);
            yield return new(Measure.P99Alone, alone.P99Milliseconds);
            yield return new(Measure.P99OverAlone, result.P99Milliseconds / alone.P99Milliseconds);
        }
    }

    private HttpLoadResult Ask(Scenario scenario, ServerProcess server, TimeSpan window, IReadOnlyList<string> under)
    {
        Uri address = server.Addresses[scenario.Wire is Wire.WebSocket ? (int)Wire.Http1 : (int)scenario.Wire];
        return Of(scenario).RunAsync(new LoadOrder(new Uri(address, scenario.Path), scenario.Connections, window)
        {
            Closes = scenario.Closes,
            Posts = scenario.Posts,
            Pipelined = scenario.Pipelined,
            Under = under,
        }).GetAwaiter().GetResult();
    }
}
