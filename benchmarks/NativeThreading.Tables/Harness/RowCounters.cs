using System.Globalization;
using NativeThreading.Instrumentation;

namespace NativeThreading.Tables.Harness;

/// <summary>The option <c>--counters</c>: what the library counted in each round of a row, in a build that counts. Read before and after a run of
/// NativeThreading, outside of the measured time; a row's own warm-up is counted, too.</summary>
internal static class RowCounters
{
    /// <summary>What is missing where the build does not count.</summary>
    public const string Missing =
        "this build counts nothing: dotnet run -c Release -p:Counters=true --project benchmarks/NativeThreading.Tables -- ...";

    private static readonly Dictionary<string, List<long[]>> s_rows = [];
    private static bool s_isOn;

    /// <exception cref="MeasurementException">Counts are asked for, and the build does not count.</exception>
    public static void Begin(bool isOn)
    {
        if (isOn && !Counters.IsOn)
        {
            throw new MeasurementException(Missing);
        }

        s_isOn = isOn;
        s_rows.Clear();
    }

    /// <summary>Runs a contender, and keeps what ours has counted meanwhile.</summary>
    public static Sample Run(string row, Contender contender)
    {
        if (!s_isOn || contender.Name != Contender.Native)
        {
            return contender.Run();
        }

        long[] before = Counters.Read();
        Sample sample = contender.Run();
        Of(row).Add(CounterNames.Difference(before, Counters.Read()));
        return sample;
    }

    /// <summary>For each row a line per counter that is not zero, with a column per round.</summary>
    public static void Print()
    {
        if (s_isOn && s_rows.Count == 0)
        {
            Console.WriteLine("No counters: this table does not measure in rounds of rows in this process.");
        }

        foreach ((string row, List<long[]> rounds) in s_rows)
        {
            Console.WriteLine();
            Console.WriteLine(Terminal.Bold($"{row}, counted in each round"));
            for (int i = 0; i < Counters.Length; i++)
            {
                if (rounds.Exists(round => round[i] != 0))
                {
                    Console.WriteLine($"{CounterNames.All[i],-28}{string.Concat(rounds.Select(round => round[i].ToString("N0", CultureInfo.InvariantCulture).PadLeft(14)))}");
                }
            }
        }
    }

    private static List<long[]> Of(string row)
    {
        if (!s_rows.TryGetValue(row, out List<long[]>? rounds))
        {
            s_rows.Add(row, rounds = []);
        }

        return rounds;
    }
}
