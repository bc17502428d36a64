using System.Diagnostics;

namespace NativeThreading.ManagedCore;

/// <summary>The processor time of the whole process without what the monitor's looks take, and when it was read.</summary>
/// <remarks>The system adds it up over all threads, and the monitor wants it for each worker at each look. Read for each, it took so much time
/// with 30 workers that the process never was quiet. So a reading is used again for a while; it carries its own time, so nothing is lost
/// by that. And the looks themselves take more of a processor than a quiet process may use, so they are left out.</remarks>
internal sealed class ProcessTime
{
    private static ProcessTime? s_last;
    private static long s_leftOut; // ticks

    private ProcessTime() => (At, Cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime - TimeSpan.FromTicks(Volatile.Read(ref s_leftOut)));

    /// <summary>A time stamp from just before it was read.</summary>
    public long At { get; }

    public TimeSpan Cpu { get; }

    /// <summary>Leaves out what a pass of looks took. By the monitor's thread.</summary>
    /// <remarks>That is time that passed. Where the monitor lacked a processor meanwhile, somebody else may have computed; so of a pass no more counts
    /// than leaves a worker that computes far from a quiet process.</remarks>
    public static void LeaveOut(TimeSpan pass) =>
        Volatile.Write(ref s_leftOut, s_leftOut + Math.Min(pass.Ticks, StarvationTuning.MostOfOnePass.Ticks));

    /// <summary>One from <paramref name="now"/>, or a little older. By any thread.</summary>
    public static ProcessTime Read(long now)
    {
        ProcessTime? last = Volatile.Read(ref s_last); // pairs with the write below: a reading is seen whole
        if (last is null || Stopwatch.GetElapsedTime(last.At, now) >= StarvationTuning.Soon / 2)
        {
            last = new ProcessTime();
            Volatile.Write(ref s_last, last);
        }

        return last;
    }
}
