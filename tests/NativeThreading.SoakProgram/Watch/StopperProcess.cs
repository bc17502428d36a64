using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using NativeThreading.SoakProgram.Plan;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>What the process of a <see cref="Stopper"/> does.</summary>
internal static partial class StopperProcess
{
    private const int Kill = 9;
    private const int Continue = 18;
    private const int Stop = 19;

    private static long s_lastBeat;
    private static bool s_isOver;

    public static int Run(int process, ulong seed, double slow)
    {
        Beat();
        new Thread(ReadBeats) { IsBackground = true }.Start();
        var dice = new Dice(seed);
        TimeSpan patience = slow * TimeSpan.FromSeconds(90);
        while (!Pause(dice.Between(1_000, 6_000)))
        {
            if (Stopwatch.GetElapsedTime(Volatile.Read(ref s_lastBeat)) > patience)
            {
                return Report(process, patience);
            }

            // Once for a while, or a few times in a row for a moment each.
            bool isLong = dice.OneIn(2);
            for (int i = isLong ? 1 : dice.Between(2, 10); i > 0 && !Volatile.Read(ref s_isOver); i--)
            {
                if (!StopFor(process, isLong ? dice.Between(50, 800) : dice.Between(1, 10)))
                {
                    return 0; // it has ended
                }

                Thread.Sleep(dice.Next(5));
            }

            Beat();
        }

        return 0;
    }

    private static bool StopFor(int process, int milliseconds)
    {
        long began = Stopwatch.GetTimestamp();
        bool isThere = kill(process, Stop) == 0;
        try
        {
            Thread.Sleep(milliseconds);
        }
        finally
        {
            _ = kill(process, Continue);
        }

        Console.WriteLine(Stopwatch.GetElapsedTime(began).TotalMilliseconds.ToString(CultureInfo.InvariantCulture));
        return isThere;
    }

    /// <summary>Whether the soak is over.</summary>
    private static bool Pause(int milliseconds)
    {
        for (; milliseconds > 0 && !Volatile.Read(ref s_isOver); milliseconds -= 50)
        {
            Thread.Sleep(50);
        }

        return Volatile.Read(ref s_isOver);
    }

    private static int Report(int process, TimeSpan patience)
    {
        Console.Error.WriteLine($"No sign of life of process {process} for {patience.TotalSeconds} s: the runtime itself stands still.");
        foreach (string line in ThreadList.Describe(process))
        {
            Console.Error.WriteLine($"thread {line}");
        }

        _ = kill(process, Kill);
        return 1;
    }

    private static void ReadBeats()
    {
        while (Console.In.ReadLine() is not null)
        {
            Beat();
        }

        Volatile.Write(ref s_isOver, true);
    }

    private static void Beat() => Volatile.Write(ref s_lastBeat, Stopwatch.GetTimestamp());

    [LibraryImport("libc")]
    private static partial int kill(int process, int signal);
}
