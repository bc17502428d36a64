using System.Diagnostics;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Processes;

/// <summary>A whole table in a process of its own, for settings that only a new process can have.</summary>
internal static class TableProcess
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(15);

    /// <summary>Runs this program with a table's command; <paramref name="environment"/> is added to its own.</summary>
    /// <exception cref="MeasurementException">It failed, and has said why on standard error.</exception>
    public static TableResult Run(string[] command, params (string Name, string Value)[] environment) => Run([], command, environment);

    /// <summary>The same, started by the command line that begins with <paramref name="under"/>.</summary>
    /// <exception cref="MeasurementException">It failed, and has said why on standard error.</exception>
    public static TableResult Run(IReadOnlyList<string> under, string[] command, params (string Name, string Value)[] environment)
    {
        string file = Path.GetTempFileName();
        try
        {
            string[] whole = [.. under, ThisProgram.Path, .. ThisProgram.With([.. command, "--json", file])];
            var start = new ProcessStartInfo(whole[0], whole[1..]) { RedirectStandardOutput = true };
            start.Environment.Remove(Turns.Variable); // this process has the turn for both
            foreach ((string name, string value) in environment)
            {
                start.Environment[name] = value;
            }

            using Process process = Process.Start(start)!;
            Task<string> output = process.StandardOutput.ReadToEndAsync(); // its own table; this one prints it in another form
            if (!process.WaitForExit(s_deadline))
            {
                process.Kill();
                throw new MeasurementException($"{string.Join(' ', command)}: the process did not end within {s_deadline.TotalMinutes} minutes.");
            }

            return process.ExitCode == 0
                ? JsonReader.Read(file)
                : throw new MeasurementException($"{string.Join(' ', command)}: exit code {process.ExitCode}, output '{output.Result}'.");
        }
        finally
        {
            File.Delete(file);
        }
    }
}
