using System.Diagnostics;
using System.Text.Json;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Processes;

/// <summary>A whole table in a process of its own, for settings that only a new process can have.</summary>
internal static class TableProcess
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(15);

    /// <summary>Runs this program with a table's command; <paramref name="environment"/> is added to its own.</summary>
    /// <exception cref="MeasurementException">It failed, and has said why on standard error.</exception>
    public static TableResult Run(string[] command, params (string Name, string Value)[] environment)
    {
        string file = Path.GetTempFileName();
        try
        {
            bool hosted = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet";
            string[] arguments = [.. hosted ? (string[])[typeof(TableProcess).Assembly.Location] : [], .. command, "--json", file];
            var start = new ProcessStartInfo(Environment.ProcessPath!, arguments) { RedirectStandardOutput = true };
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
                ? Read(file)
                : throw new MeasurementException($"{string.Join(' ', command)}: exit code {process.ExitCode}, output '{output.Result}'.");
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static TableResult Read(string file)
    {
        using JsonDocument json = JsonDocument.Parse(File.ReadAllText(file));
        return new TableResult(json.RootElement.GetProperty("runs").GetInt32(), [.. json.RootElement.GetProperty("rows").EnumerateArray().Select(Row)]);
    }

    private static RowResult Row(JsonElement row)
    {
        return new RowResult(
            row.GetProperty("name").GetString()!,
            row.GetProperty("unit").GetString()!,
            row.GetProperty("better").GetString() == "higher" ? Better.Higher : Better.Lower,
            Of(Contender.Native, row.GetProperty("native")),
            row.GetProperty("peers").EnumerateObject().ToDictionary(peer => peer.Name, peer => Of(peer.Name, peer.Value)),
            row.GetProperty("note").GetString());

        Sample Of(string contender, JsonElement value) => new(value.GetDouble(), Measure("cpu", contender), Measure("switches", contender));

        double? Measure(string measure, string contender) =>
            row.GetProperty(measure).GetProperty(contender) is { ValueKind: JsonValueKind.Number } number ? number.GetDouble() : null;
    }
}
