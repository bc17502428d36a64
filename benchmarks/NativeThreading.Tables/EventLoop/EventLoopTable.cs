using System.CommandLine;
using System.Globalization;
using System.Text.RegularExpressions;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The event loop compared with libuv, from C and from C#, all in one interleaved run.</summary>
internal sealed class EventLoopTable : Table
{
    private static readonly Option<string> s_rows = new("--rows")
    {
        Description = "Only rows whose name matches this regular expression, to look at them more closely.",
        HelpName = "REGEX",
        DefaultValueFactory = _ => "",
    };

    public override string Name => "eventloop";

    public override string Description => "The event loop, native and managed, compared with libuv: wakes, timers, registrations, offloading, rest.";

    // A loop and its waker, or its pool, run at the same time.
    public override int RequiredProcessors => 2;

    public override IEnumerable<Option> Options => [s_rows];

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementException("the event loop exists on Linux only.");
        }

        PeerPrograms programs = PeerPrograms.Built;
        using NativeDriver? driver = NativeDriver.Start(programs);
        if (driver is null)
        {
            Console.WriteLine($"Without the native rows: {programs.Missing}");
        }

        string wanted = arguments.GetValue(s_rows)!;
        bool IsWanted(string name) => Regex.IsMatch(name, wanted);

        // The idle loops first: later this process has threads and memory to tidy up.
        RowResult[] idle = IdleRows.Names.Any(IsWanted)
            ? [.. IdleRows.Measure(TimeSpan.FromSeconds(options.Quick ? 2 : 10), driver).Where(r => IsWanted(r.Name))]
            : [];
        var peers = new Peers(driver, programs);
        using var managed = new ManagedRows(peers);
        IEnumerable<Row> native = driver is null ? [] : NativeRows.Of(driver, peers);
        Row[] rows = [.. native.Concat(managed.All()).Where(r => IsWanted(r.Name))];
        if (rows.Length + idle.Length == 0)
        {
            throw new MeasurementException($"no row's name matches '{wanted}'.");
        }

        WarmUp(rows);
        TableResult times = Interleaver.Measure(rows, Schedule.For(options, seconds: 60, quickSeconds: 8), progress);
        return times with { Rows = [.. times.Rows.Select(r => Relate(r, times.Rows)), .. idle] };
    }

    /// <summary>The Interleaver's warm-up lets a method reach its last tier if it calls it before and after one pause. The rows of this table share
    /// little code, and a method that is instrumented on its way needs two.</summary>
    private static void WarmUp(Row[] rows)
    {
        for (int pass = 0; pass < 3; pass++)
        {
            foreach (Row row in rows)
            {
                row.Native.Run();
            }

            Thread.Sleep(TimeSpan.FromMilliseconds(250));
        }
    }

    /// <summary>Adds to a row's note what only the other columns and rows of the run can tell.</summary>
    private static RowResult Relate(RowResult row, IReadOnlyList<RowResult> all)
    {
        if (row.Name == ManagedRows.CreateDestroy && row.Floor is Sample thread)
        {
            double target = (1.15 * thread.Value) + 6000;
            return row with { Note = $"{row.Note}; 1.15 x floor ({Numbers.Format(thread.Value)} ns) + 6 us = {Numbers.Format(target)} ns" };
        }

        return row.Name.StartsWith("csharp/timer", StringComparison.Ordinal)
            && all.FirstOrDefault(r => r.Name == row.Name.Replace("csharp/", "native/", StringComparison.Ordinal)) is RowResult native
            ? row with { Note = string.Create(CultureInfo.InvariantCulture, $"{row.Note}; {row.Native.Value / native.Native.Value:F2} x the native row") }
            : row;
    }
}
