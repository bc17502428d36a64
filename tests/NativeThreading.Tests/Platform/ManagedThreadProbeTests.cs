using System.Diagnostics;
using System.IO.Pipes;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Platform;

/// <summary>What the managed core finds out about a thread from outside.</summary>
public sealed class ManagedThreadProbeTests
{
    [Fact]
    public void ThreadThatWaits_Waits_AndItsTimeStandsStill()
    {
        using var release = new ManualResetEvent(initialState: false); // no thread polls before that wait
        ManagedThreadProbe probe = OnThread(() => release.WaitOne(Deadline.Time), out Thread thread);
        Deadline.Until(() => probe.State == RunState.Waiting);
        _ = probe.Cpu; // it may have run up to this look
        long cpu = probe.Cpu;
        for (int i = 0; i < 20; i++) // a look that takes it for running adds at least one
        {
            Assert.Equal((cpu, RunState.Waiting), (probe.Cpu, probe.State));
        }

        release.Set();
        Deadline.Join(thread);
        Assert.Equal((RunState.Ended, RunState.Ended), (probe.Cpu, probe.State));
    }

    [Fact]
    public void ThreadThatComputes_Runs_AndItsTimeGoesOn()
    {
        using var stop = new ManualResetEventSlim();
        ManagedThreadProbe probe = OnThread(() => Computing.Until(stop), out Thread thread);
        long cpu = probe.Cpu;
        for (var looking = Stopwatch.StartNew(); looking.Elapsed < 3 * StarvationTuning.QuietProcess;)
        {
            long now = probe.Cpu;
            Assert.True(now > cpu, $"{now} after {cpu}");
            Assert.Equal(RunState.Runnable, probe.State);
            cpu = now;
        }

        stop.Set();
        Deadline.Join(thread);
    }

    [Fact]
    public void ThreadThatWaitsInNativeCode_RunsAtFirst_AndIsThenUnknown_WhereTheProcessIsQuiet()
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        using var client = new AnonymousPipeClientStream(PipeDirection.Out, pipe.ClientSafePipeHandle);
        ManagedThreadProbe probe = OnThread(() => pipe.ReadByte(), out Thread thread);
        Assert.Equal(RunState.Runnable, probe.State);
        Deadline.Until(
            () =>
            {
                _ = probe.Cpu;
                return probe.State < 0;
            },
            "a quiet process, in which a thread reads a pipe");
        long cpu = probe.Cpu;
        Assert.Equal(cpu, probe.Cpu);
        client.WriteByte(1);
        Deadline.Join(thread);
    }

    [Fact]
    public void ThreadThatComputesAfterALongWait_IsNotTakenForQuiet()
    {
        using var release = new ManualResetEvent(initialState: false);
        using var stop = new ManualResetEventSlim();
        ManagedThreadProbe probe = OnThread(() => { release.WaitOne(Deadline.Time); Computing.Until(stop); }, out Thread thread);
        Sample(probe, 3 * StarvationTuning.QuietProcess, TimeSpan.FromMilliseconds(1)); // while it waits, and the process is quiet
        long cpu = probe.Cpu;
        release.Set();
        Sample(probe, 3 * StarvationTuning.QuietProcess, TimeSpan.Zero);
        Assert.True(probe.Cpu > cpu);
        stop.Set();
        Deadline.Join(thread);

        static void Sample(ManagedThreadProbe probe, TimeSpan time, TimeSpan pause)
        {
            for (var looking = Stopwatch.StartNew(); looking.Elapsed < time; Thread.Sleep(pause))
            {
                _ = probe.Cpu;
                Assert.True(probe.State is RunState.Waiting or RunState.Runnable);
            }
        }
    }

    private static ManagedThreadProbe OnThread(Action run, out Thread thread)
    {
        using var made = new ManualResetEventSlim();
        ManagedThreadProbe? probe = null;
        thread = new Thread(() =>
        {
            probe = new ManagedThreadProbe();
            made.Set();
            run();
        });
        thread.Start();
        Deadline.Wait(made);
        return probe!;
    }
}
