using System.Text.Json;
using NativeThreading.Tables.Compare;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Ablation;

/// <summary>Writes a result for programs to read. Ratios are off over on, as <see cref="AblationPrinter"/> prints them.</summary>
internal static class AblationReport
{
    public static void Write(string path, AblationPlan plan, Machine machine, IReadOnlyList<AblatedTable> results) => JsonReport.Write(path, json =>
    {
        json.WriteStartObject();
        json.WriteString("command", string.Join(' ', ["ablate", .. plan.Tables, .. plan.Options]));
        JsonReport.WriteMachine(json, machine);
        json.WriteStartArray("results");
        foreach (AblatedTable result in results)
        {
            json.WriteStartObject();
            json.WriteString("mechanism", result.Mechanism);
            json.WriteString("table", result.Table);
            json.WriteNumber("rounds", result.Rounds);
            Write(json, "value", result.Value);
            Write(json, "cpu", result.Cpu);
            json.WriteStartArray("rows");
            foreach (AblatedRow row in result.Rows)
            {
                json.WriteStartObject();
                json.WriteString("name", row.Name);
                json.WriteString("unit", row.Unit);
                JsonReport.WriteNumber(json, "off", row.Off);
                JsonReport.WriteNumber(json, "on", row.On);
                Write(json, "value", row.Value);
                Write(json, "cpu", row.Cpu);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    });

    private static void Write(Utf8JsonWriter json, string name, Estimate? estimate)
    {
        json.WriteStartObject(name);
        JsonReport.WriteNumber(json, "ratio", estimate?.Ratio);
        JsonReport.WriteNumber(json, "low", estimate?.Low);
        JsonReport.WriteNumber(json, "high", estimate?.High);
        json.WriteString("verdict", estimate?.Verdict);
        json.WriteEndObject();
    }
}
