using NativeThreading.Tables.Isolation;
using NativeThreading.Tables.Kestrel.Clients;
using NativeThreading.Workloads.Http;
using NativeThreading.Workloads.Kestrel;

namespace NativeThreading.Tables.Kestrel;

/// <summary>What asks the server for something else meanwhile. It comes a second earlier and stays longer: the first second is not measured.</summary>
internal sealed class Company
{
    public static readonly TimeSpan HeadStart = TimeSpan.FromSeconds(1);

    private readonly Task<HttpLoadResult> _run;

    private Company(Task<HttpLoadResult> run) => _run = run;

    /// <summary>Returns after the head start.</summary>
    public static Company Begin(Scenario scenario, Uri address, IHttpLoad http, TimeSpan window)
    {
        TimeSpan all = HeadStart + window + HeadStart;
        var company = new Company(scenario.BesideGreedy
            ? new GreedyLoad().RunAsync(new LoadOrder(new Uri(address, "plaintext"), 1, all))
            : scenario.BesideComputing > 0
            ? new UnevenLoad().RunAsync(new LoadOrder(new Uri(address, $"uneven?milliseconds={scenario.BesideComputing}"), scenario.ComputingEndpoints, all))
            : http.RunAsync(new Uri(address, "block"), scenario.BesideBlocked, all));
        Thread.Sleep(HeadStart);
        return company;
    }

    /// <summary>Answers a second, over all the time.</summary>
    public double End()
    {
        HttpLoadResult result = _run.GetAwaiter().GetResult();
        return result.Answers / result.Seconds;
    }
}
