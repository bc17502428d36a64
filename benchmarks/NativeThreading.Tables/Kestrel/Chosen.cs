using System.CommandLine;
using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Isolation;
using NativeThreading.Tables.Kestrel.Clients;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tables.Kestrel;

/// <summary>The scenarios that a command line asks for and this machine can run.</summary>
internal sealed class Chosen
{
    private const int Idle = 10_000, OtherDescriptors = 500;

    private readonly RowSelection _rows = new();
    private readonly Option<string[]> _only = new("--only")
    {
        Description = "Only the scenarios of these names, as json/32; what they need must be installed.",
        HelpName = "NAMES",
        AllowMultipleArgumentsPerToken = true,
    };

    public IEnumerable<Option> Options => [_rows.Option, _only];

    /// <exception cref="MeasurementException">A name is unknown, or what a scenario needs that was named is not installed.</exception>
    public IReadOnlyList<Scenario> Of(ParseResult arguments, IHttpLoad http, Action<string> remark)
    {
        string[] names = arguments.GetValue(_only) ?? [];
        int idle = DescriptorLimit.Raise(Idle + OtherDescriptors) - OtherDescriptors;
        IReadOnlyList<Scenario> scenarios = _rows.Of(Scenarios.Named(Scenarios.All(idle), names), static scenario => scenario.Name, arguments);
        var possible = new List<Scenario>();
        foreach (Scenario scenario in scenarios)
        {
            if (Missing(scenario, http) is not string missing)
            {
                possible.Add(scenario);
            }
            else if (names.Length != 0)
            {
                throw new MeasurementException($"{scenario.Name}: {missing}");
            }
            else
            {
                remark($"{scenario.Name} was left out: {missing}");
            }
        }

        if (idle < Idle && possible.Exists(static scenario => scenario.Idles))
        {
            remark($"{idle} idle connections in place of {Idle}: more descriptors are not allowed here.");
        }

        return possible.Count != 0 ? possible : throw new MeasurementException("nothing of it can be measured here.");
    }

    private static string? Missing(Scenario scenario, IHttpLoad http) => scenario switch
    {
        { Wire: Wire.Http2 } when !H2Load.IsInstalled => "h2load was not found: apt-get install -y nghttp2-client",
        { Pipelined: > 1 } when http is not WrkLoad => "only wrk pipelines: apt-get install -y wrk",
        { NeedsDatabase: true } when !Database.IsInstalled => "PostgreSQL was not found: apt-get install -y postgresql",
        _ => null,
    };
}
