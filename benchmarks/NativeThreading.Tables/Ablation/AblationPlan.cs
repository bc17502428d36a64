using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Ablation;

/// <summary>Which tables are run without which mechanisms, how often, and with which options.</summary>
internal sealed record AblationPlan(string[] Tables, string[] Mechanisms, int Rounds, string[] Options)
{
    /// <summary>The variable in which <see cref="Tuning.Mechanisms"/> reads what to leave out.</summary>
    private const string Variable = "NTH_ABLATE";

    /// <summary>
    /// Each round runs each table once for each mechanism, as two processes that take turns row by row: one without the mechanism, and
    /// one with all. Which of the two begins changes from round to round.
    /// </summary>
    /// <param name="afterRound">Is told what is there so far.</param>
    public IReadOnlyList<AblatedTable> Run(Action<IReadOnlyList<AblatedTable>> afterRound)
    {
        AblatedTable[] results = [.. from mechanism in Mechanisms from table in Tables select new AblatedTable(mechanism, table)];
        for (int round = 1; round <= Rounds; round++)
        {
            foreach (AblatedTable result in results)
            {
                Console.Error.WriteLine($"round {round} of {Rounds}: {result.Table} without {result.Mechanism}");
                try
                {
                    (TableResult off, TableResult on) = RunPair(result, offBegins: round % 2 == 1);
                    result.Add(off, on);
                }
                catch (MeasurementException e)
                {
                    Console.Error.WriteLine($"left out: {e.Message}"); // hours may be behind us, and before us
                }
            }

            afterRound(results);
        }

        return results;
    }

    private (TableResult Off, TableResult On) RunPair(AblatedTable pair, bool offBegins)
    {
        using var turns = new TurnPipes(offBegins);
        Task<TableResult> off = Start(pair.Mechanism, turns.First, turns.EndFirst), on = Start("", turns.Second, turns.EndSecond);
        Task.WhenAll(off, on).GetAwaiter().GetResult();
        return (off.Result, on.Result);

        Task<TableResult> Start(string mechanism, string pipes, Action ended) => Task.Factory.StartNew(
            () =>
            {
                try
                {
                    return TableProcess.Run([pair.Table, .. Options], (Variable, mechanism), (Turns.Variable, pipes));
                }
                finally
                {
                    ended(); // also where it failed: the other one waits for a turn
                }
            },
            TaskCreationOptions.LongRunning);
    }
}
