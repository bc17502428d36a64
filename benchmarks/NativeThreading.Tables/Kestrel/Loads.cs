using NativeThreading.Tables.Isolation;

namespace NativeThreading.Tables.Kestrel;

/// <summary>Runs one scenario against one server.</summary>
internal sealed class Loads(IHttpLoad load)
{
    private static readonly TimeSpan s_headStart = TimeSpan.FromSeconds(1);

    public Answered Run(Scenario scenario, Side side, TimeSpan window)
    {
        Uri address = side.Server.Addresses[(int)scenario.Wire];
        var target = new Uri(address, scenario.Path);
        Task<HttpLoadResult>? blocking = null;
        if (scenario.Beside > 0)
        {
            // They come a second earlier and stay longer: the first second is not measured.
            blocking = load.RunAsync(new Uri(address, "block"), scenario.Beside, s_headStart + window + s_headStart);
            Thread.Sleep(s_headStart);
        }

        TimeSpan before = side.Server.CpuTime;
        HttpLoadResult result = scenario.Wire == Wire.Http2
            ? H2Load.RunAsync(target, scenario.Connections, window).GetAwaiter().GetResult()
            : load.RunAsync(target, scenario.Connections, window, scenario.Closes).GetAwaiter().GetResult();
        TimeSpan cpu = side.Server.CpuTime - before;
        if (blocking is not null)
        {
            blocking.GetAwaiter().GetResult();
            Recover(scenario, side, target);
        }

        if (result.Answers == 0 && scenario.Beside == 0)
        {
            throw new MeasurementException($"{scenario.Name}: {side.Name} answered nothing.");
        }

        // Where all threads are blocked, a window without an answer counts as one answer, which took it all.
        long answers = Math.Max(1, result.Answers);
        return new Answered(answers / result.Seconds, cpu.TotalMicroseconds / answers, result.P99Milliseconds);
    }

    /// <summary>What has blocked is not to be paid for by the next row: the runtime's pool takes a second or two to be itself again.</summary>
    private void Recover(Scenario scenario, Side side, Uri target)
    {
        for (int attempt = 0; load.RunAsync(target, 1, s_headStart).GetAwaiter().GetResult().Answers == 0; attempt++)
        {
            if (attempt == 20)
            {
                throw new MeasurementException($"{scenario.Name}: {side.Name} answers nothing, although nobody blocks it any more.");
            }
        }
    }

    public string Note(Scenario scenario) => scenario switch
    {
        { Wire: Wire.Http2 } => $"load by h2load, {H2Load.Streams} streams a connection",
        { Beside: > 0 } => $"{load.Name}; a window without any answer counts as one",
        _ => load.Name,
    };
}

/// <summary>One run.</summary>
/// <param name="PerSecond">Answers.</param>
/// <param name="CpuMicroseconds">Of the server, for an answer.</param>
/// <param name="P99Milliseconds">From request to answer.</param>
internal sealed record Answered(double PerSecond, double CpuMicroseconds, double P99Milliseconds);
