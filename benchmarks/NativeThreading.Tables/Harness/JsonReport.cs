using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace NativeThreading.Tables.Harness;

/// <summary>Writes a result for programs to read. All values are medians; <c>cpu</c> is the process's CPU time in nanoseconds and <c>switches</c> its
/// context switches, both per operation of the row. <c>floor</c> is the row without any library, null where that was not measured; it is no peer, and
/// <c>advantage</c> does not look at it. Each row is one line.</summary>
internal static class JsonReport
{
    public static void Write(string path, MeasuredTable table) => Write(path, json => WriteTable(json, table));

    /// <summary>Several tables, each as it would stand in a file of its own.</summary>
    public static void WriteAll(string path, string command, IEnumerable<MeasuredTable> tables) => Write(path, json =>
    {
        json.WriteStartObject();
        json.WriteString("command", command);
        json.WriteStartArray("tables");
        foreach (MeasuredTable table in tables)
        {
            WriteTable(json, table);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    });

    /// <summary>A file with whatever content.</summary>
    public static void Write(string path, Action<Utf8JsonWriter> content)
    {
        using FileStream file = File.Create(path);
        using var json = new Utf8JsonWriter(file, new JsonWriterOptions { Indented = true });
        content(json);
    }

    private static void WriteTable(Utf8JsonWriter json, MeasuredTable table)
    {
        json.WriteStartObject();
        json.WriteString("command", table.Command);
        WriteMachine(json, table.Machine);
        json.WriteNumber("runs", table.Result.Runs);
        json.WriteStartArray("rows");
        foreach (RowResult row in table.Result.Rows)
        {
            WriteLine(json, line => WriteRow(line, row));
        }

        json.WriteEndArray();
        WriteNumber(json, "geomean", table.Result.Geomean);
        WriteNumber(json, "worst", table.Result.Worst);
        if (table.Error is not null)
        {
            json.WriteString("error", table.Error);
        }

        json.WriteEndObject();
    }

    /// <summary>A value of an array on a line of its own: the writer indents what it writes itself, and nothing raw.</summary>
    private static void WriteLine(Utf8JsonWriter json, Action<Utf8JsonWriter> value)
    {
        var line = new ArrayBufferWriter<byte>();
        line.Write(Encoding.UTF8.GetBytes($"\n{new string(' ', 2 * json.CurrentDepth)}"));
        using (var content = new Utf8JsonWriter(line))
        {
            value(content);
        }

        json.WriteRawValue(line.WrittenSpan);
    }

    private static void WriteRow(Utf8JsonWriter json, RowResult row)
    {
        json.WriteStartObject();
        json.WriteString("name", row.Name);
        json.WriteString("unit", row.Unit);
        json.WriteString("better", row.Better == Better.Higher ? "higher" : "lower");
        WriteNumber(json, "native", row.Native.Value);
        json.WriteStartObject("peers");
        foreach ((string name, Sample peer) in row.Peers)
        {
            WriteNumber(json, name, peer.Value);
        }

        json.WriteEndObject();
        WriteNumber(json, Contender.Floor, row.Floor?.Value);
        WriteMeasure(json, "cpu", row, s => s.CpuNanoseconds);
        WriteMeasure(json, "switches", row, s => s.Switches);
        WriteNumber(json, "advantage", row.Advantage);
        json.WriteString("note", row.FullNote);
        if (row.ByWorkers.Count != 0)
        {
            json.WriteStartObject("byWorkers");
            foreach ((int workers, double value) in row.ByWorkers)
            {
                WriteNumber(json, workers.ToString(CultureInfo.InvariantCulture), value);
            }

            json.WriteEndObject();
        }

        json.WriteEndObject();
    }

    private static void WriteMeasure(Utf8JsonWriter json, string name, RowResult row, Func<Sample, double?> measure)
    {
        json.WriteStartObject(name);
        WriteNumber(json, Contender.Native, measure(row.Native));
        foreach ((string peer, Sample sample) in row.Peers)
        {
            WriteNumber(json, peer, measure(sample));
        }

        if (row.Floor is Sample floor)
        {
            WriteNumber(json, Contender.Floor, measure(floor));
        }

        json.WriteEndObject();
    }

    public static void WriteMachine(Utf8JsonWriter json, Machine machine)
    {
        json.WriteStartObject("machine");
        json.WriteString("cpu", machine.Cpu);
        json.WriteNumber("logicalCpus", machine.LogicalCpus);
        json.WriteString("kernel", machine.Kernel);
        json.WriteString("os", machine.OperatingSystem);
        json.WriteString("allocator", machine.Allocator);
        json.WriteString("runtime", machine.Runtime);
        json.WriteString("runtimeBuild", machine.RuntimeBuild);
        json.WriteString("gc", machine.Gc);
        json.WriteString("library", machine.Library);
        json.WriteString("build", machine.Build);
        json.WriteString("load", machine.Load);
        json.WriteStartObject("environment");
        foreach ((string name, string value) in machine.Environment)
        {
            json.WriteString(name, value);
        }

        json.WriteEndObject();
        json.WriteString("date", machine.Date);
        json.WriteEndObject();
    }

    public static void WriteNumber(Utf8JsonWriter json, string name, double? value)
    {
        if (value is double number && double.IsFinite(number))
        {
            json.WriteNumber(name, double.Round(number, 6));
        }
        else
        {
            json.WriteNull(name);
        }
    }
}
