using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Tests.Platform;

public sealed class ProcessTimeTests
{
    private static readonly long s_millisecond = Stopwatch.Frequency / 1_000;

    [Fact]
    public void AReading_ServesAllWorkersOfALook()
    {
        // The monitor of another test's pool may read in between, so not every attempt has to succeed.
        Assert.Contains(Enumerable.Range(0, 100), static _ =>
        {
            ProcessTime first = ProcessTime.Read(Stopwatch.GetTimestamp());
            return ReferenceEquals(first, ProcessTime.Read(first.At)) && ReferenceEquals(first, ProcessTime.Read(first.At + (s_millisecond / 4)));
        });
    }

    [Fact]
    public void TheNextLook_ReadsAnew()
    {
        ProcessTime first = ProcessTime.Read(Stopwatch.GetTimestamp() + Stopwatch.Frequency);
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < TimeSpan.FromMilliseconds(20))
        {
            // computes
        }

        ProcessTime second = ProcessTime.Read(first.At + s_millisecond);
        Assert.True(second.At > began);
        Assert.True(second.Cpu > first.Cpu, $"{second.Cpu} after {first.Cpu}");
    }
}
