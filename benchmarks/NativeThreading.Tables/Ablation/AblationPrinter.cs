using NativeThreading.Tables.Compare;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Ablation;

/// <summary>Prints what each mechanism buys: above 1 the library is better with it.</summary>
internal static class AblationPrinter
{
    private const int EstimateWidth = 26;
    private const int NumberWidth = 12;

    public static void Print(IReadOnlyList<AblatedTable> results, bool allRows)
    {
        int width = results.Max(static result => Name(result).Length);
        foreach (AblatedTable result in results)
        {
            width = result.Rows.Select(static row => row.Name.Length + 2).Append(width).Max();
        }

        Console.WriteLine(Terminal.Bold($"{"without".PadRight(width)}{"off",NumberWidth}{"on",NumberWidth}{"value: off over on",EstimateWidth}{"CPU: off over on",EstimateWidth}  verdict"));
        foreach (AblatedTable result in results)
        {
            Console.WriteLine(Terminal.Bold(Line(Name(result), "", "", result.Value, result.Cpu)));
            foreach (AblatedRow row in result.Rows.Where(row => allRows || Verdict(row.Value, row.Cpu).Length != 0))
            {
                Console.WriteLine(Line("  " + row.Name, Numbers.Format(row.Off), Numbers.Format(row.On), row.Value, row.Cpu));
            }
        }

        Console.WriteLine(Terminal.Dim(
            "Above 1: the mechanism pays. A rate counts as the time that it stands for. The bound is 90 %, over the rounds: where a mechanism does\n"
            + "nothing, one line in ten lies outside it all the same."));

        string Line(string name, string off, string on, Estimate? value, Estimate? cpu) =>
            $"{name.PadRight(width)}{off,NumberWidth}{on,NumberWidth}{value?.ToString() ?? "-",EstimateWidth}{cpu?.ToString() ?? "-",EstimateWidth}  {Verdict(value, cpu)}";
    }

    private static string Name(AblatedTable result) => $"{result.Mechanism}, {result.Table}";

    private static string Verdict(Estimate? value, Estimate? cpu)
    {
        return string.Join(", ", new[] { Of("value", value), Of("CPU", cpu) }.Where(static text => text.Length != 0));

        static string Of(string what, Estimate? estimate) => estimate?.Verdict switch
        {
            "better" => $"buys {what}",
            "worse" => $"costs {what}",
            _ => "",
        };
    }
}
