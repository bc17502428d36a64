using System.Diagnostics;

namespace NativeThreading.Platform;

/// <summary>The processor time of the whole process, and when it was read.</summary>
/// <remarks>The system adds it up over all threads, and the monitor wants it for each worker at each look. Read for each, it took so much time
/// with 30 workers that the process never was quiet. So a reading is used again for a while; it carries its own time, so nothing is lost
/// by that.</remarks>
internal sealed class ProcessTime
{
    private static ProcessTime? s_last;

    private ProcessTime() => (At, Cpu) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);

    /// <summary>A time stamp from just before it was read.</summary>
    public long At { get; }

    public TimeSpan Cpu { get; }

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
