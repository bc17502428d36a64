namespace NativeThreading.Workloads.Kestrel;

/// <summary>The scenarios of the table, by name.</summary>
internal static class Scenarios
{
    /// <summary>As many as TechEmpower's.</summary>
    private const int Pipelined = 16;

    /// <param name="idle">How many idle connections the system allows.</param>
    public static IReadOnlyList<Scenario> All(int idle) =>
    [
        .. ((int[])[1, 32, 128, 512]).Select(static connections => new Scenario("json", connections, "json")),
        new("plaintext", 32, "plaintext") { Pipelined = Pipelined },
        new("plaintext", 128, "plaintext") { Pipelined = Pipelined },
        new("yield", 32, "yield"),
        new("yield", 128, "yield"),
        new("delay", 128, "delay"),
        new("delay-back", 128, "delay-back"),
        new("fortunes", 32, "fortunes") { NeedsDatabase = true },
        new("fortunes-back", 32, "fortunes-back") { NeedsDatabase = true },
        new("connect", 32, "json") { Closes = true },
        new("tls", 32, "json") { Wire = Wire.Tls },
        new("http2", 32, "json") { Wire = Wire.Http2 },
        new("websocket", 32, "websocket") { Wire = Wire.WebSocket },
        new("websocket", 128, "websocket") { Wire = Wire.WebSocket },
        new("pipeliner", 8, "json") { BesideGreedy = true },
        new("beside-4-blocked", 32, "json") { BesideBlocked = 4, NeedsNewServer = true, MayStarve = true },
        new("beside-64-blocked", 32, "json") { BesideBlocked = 64, NeedsNewServer = true, MayStarve = true },
        new("unfair-300", 8, "plaintext") { BesideComputing = 300, NeedsNewServer = true, Windows = 5 },
        new("unfair-1000", 8, "plaintext") { BesideComputing = 1_000, NeedsNewServer = true, Windows = 5 },
        new("unfair-8", 8, "plaintext") { BesideComputing = 8, NeedsNewServer = true, Windows = 5 },
        new("unfair-300-of-50", 8, "plaintext") { BesideComputing = 300, ComputingEndpoints = 50, NeedsNewServer = true, Windows = 10 },
        new("sync", 64, "sync") { Posts = true, NeedsNewServer = true, MayStarve = true, Windows = 15 },
        new("idle", idle, "plaintext") { Idles = true, NeedsNewServer = true, Windows = 4 },
    ];

    /// <summary>Those with these names, in their usual order; all, where none is named.</summary>
    /// <param name="all">To choose from.</param>
    /// <param name="names">Each may be several, with commas between them.</param>
    /// <exception cref="MeasurementException">There is none of such a name.</exception>
    public static IReadOnlyList<Scenario> Named(IReadOnlyList<Scenario> all, IEnumerable<string> names)
    {
        string[] wanted = [.. names.SelectMany(static name => name.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))];
        string[] unknown = [.. wanted.Where(name => !all.Any(scenario => scenario.Name == name))];
        if (unknown.Length != 0)
        {
            throw new MeasurementException($"no scenario is named {string.Join(" or ", unknown)}; there are {string.Join(", ", all.Select(static s => s.Name))}.");
        }

        return wanted.Length == 0 ? all : [.. all.Where(scenario => wanted.Contains(scenario.Name))];
    }
}
