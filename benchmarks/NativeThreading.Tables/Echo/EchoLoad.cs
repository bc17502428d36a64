using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Echo;

/// <summary>Runs of the load generator: each is a process that connects, warms the connections up and measures.</summary>
internal sealed class EchoLoad(string program, int? cpu, bool quick)
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    public const int MessageSize = 64;

    public int WindowMilliseconds => quick ? 120 : 500;

    public int WarmUpMilliseconds => quick ? 30 : 100;

    /// <summary>Of the run without a clock, in which every system call is counted.</summary>
    public int CountedMessages => quick ? 5_000 : 20_000;

    public LoadResult Measure(EchoServerProcess server, int connections)
    {
        using Process process = Start(server, connections, "-t", Text(WindowMilliseconds));
        return Result(process, server);
    }

    /// <summary>Sends <see cref="CountedMessages"/> after <paramref name="begin"/>; all are back when this returns.</summary>
    public void Count(EchoServerProcess server, int connections, Action begin)
    {
        using Process process = Start(server, connections, "-g", "-m", Text(CountedMessages));
        if (ReadLine(process) != "ready")
        {
            throw new MeasurementException($"the load on {server.Name} did not get ready.");
        }

        begin();
        process.StandardInput.WriteLine();
        LoadResult result = Result(process, server);
        if (result.Messages != CountedMessages)
        {
            throw new MeasurementException($"{result.Messages} messages returned where {CountedMessages} were sent.");
        }
    }

    private Process Start(EchoServerProcess server, int connections, params string[] window) => Process.Start(PinnedProgram.On(
        cpu, program,
        ["-p", server.Port, "-P", Text(server.Id), "-c", Text(connections), "-s", Text(MessageSize), "-w", Text(WarmUpMilliseconds), .. window]))!;

    private static LoadResult Result(Process process, EchoServerProcess server)
    {
        string? line = ReadLine(process);
        if (line is null)
        {
            throw new MeasurementException($"the load on {server.Name} failed; see above.");
        }

        LoadResult result = LoadResult.Parse(line);
        server.Count(result);
        process.WaitForExit(s_deadline);
        return result;
    }

    private static string? ReadLine(Process process) => process.ReadLine(s_deadline, "the load generator did not end.");

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
