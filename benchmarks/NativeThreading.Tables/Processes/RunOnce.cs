using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Tables.Processes;

/// <summary>One run in a separate process: of the built-in pool, which keeps the threads that earlier runs made it grow, of settings that only a
/// new process can have, and of measurements of a whole process.</summary>
internal static class RunOnce
{
    /// <summary>The first argument of such a process; the name of a table and what it is to run follow.</summary>
    public const string Command = "run-once";

    /// <summary>Runs this program again, for about <paramref name="time"/>; <paramref name="environment"/> is added to its own.</summary>
    public static Sample Again(string table, string run, TimeSpan time, params (string Name, string Value)[] environment) =>
        Program(ThisProgram.Path, ThisProgram.With(Command, table, run, Seconds(time)), time, environment);

    /// <summary>Runs a program that prints one sample: the value, nanoseconds of CPU time and context switches.</summary>
    public static Sample Program(string path, string[] arguments, TimeSpan time, params (string Name, string Value)[] environment)
    {
        TimeSpan limit = time + TimeSpan.FromMinutes(1);
        var start = new ProcessStartInfo(path, arguments) { RedirectStandardOutput = true };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        if (!process.WaitForExit(limit))
        {
            process.Kill();
            throw new MeasurementException($"{string.Join(' ', arguments)}: the process did not end within {limit.TotalSeconds} s.");
        }

        string[] fields = output.Result.Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        if (process.ExitCode != 0 || fields.Length != 3)
        {
            throw new MeasurementException($"{string.Join(' ', arguments)}: exit code {process.ExitCode}, output '{output.Result}'.");
        }

        return new Sample(Parse(fields[0])!.Value, Parse(fields[1]), Parse(fields[2]));
    }

    /// <summary>In that process: prints the sample and leaves, although items of a capped run may still be blocked.</summary>
    public static int Answer(Sample sample)
    {
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{sample.Value:R} {sample.CpuNanoseconds ?? double.NaN:R} {sample.Switches ?? double.NaN:R}"));
        Console.Out.Flush();
        Environment.Exit(0);
        return 0;
    }

    /// <summary>A number of seconds as it travels on a command line.</summary>
    public static string Seconds(TimeSpan time) => time.TotalSeconds.ToString(CultureInfo.InvariantCulture);

    /// <inheritdoc cref="Seconds(TimeSpan)"/>
    public static TimeSpan Seconds(string number) => TimeSpan.FromSeconds(double.Parse(number, CultureInfo.InvariantCulture));

    private static double? Parse(string number)
    {
        double value = double.Parse(number, CultureInfo.InvariantCulture);
        return double.IsNaN(value) ? null : value;
    }
}
