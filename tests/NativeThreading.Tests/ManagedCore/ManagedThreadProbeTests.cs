using System.IO.Pipes;
using NativeThreading.ManagedCore;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.ManagedCore;

/// <summary>What the managed core finds out about a thread from outside.</summary>
public sealed class ManagedThreadProbeTests
{
    private const int Runnable = 0;
    private const int Waiting = 1;
    private const int Ended = -3;

    [Fact]
    public void ThreadThatWaits_Waits_AndItsTimeStandsStill()
    {
        using var release = new ManualResetEvent(initialState: false); // nobody polls before that wait
        ManagedThreadProbe probe = OnThread(() => release.WaitOne(Deadline.Time), out Thread thread);
        Deadline.Until(() => probe.State == Waiting);
        _ = probe.Cpu; // it may have run up to this look
        long cpu = probe.Cpu;
        for (int i = 0; i < 20; i++)
        {
            Thread.Sleep(1);
            Assert.Equal((cpu, Waiting), (probe.Cpu, probe.State));
        }

        release.Set();
        Deadline.Join(thread);
        Assert.Equal((Ended, Ended), (probe.Cpu, probe.State));
    }

    [Fact]
    public void ThreadThatComputes_Runs_AndItsTimeGoesOn()
    {
        using var stop = new ManualResetEventSlim();
        ManagedThreadProbe probe = OnThread(() => Computing.Until(stop), out Thread thread);
        long cpu = probe.Cpu;
        for (int i = 0; i < 20; i++)
        {
            Thread.Sleep(5); // for longer than a quiet process is believed to be one
            long now = probe.Cpu;
            Assert.True(now > cpu, $"{now} after {cpu}");
            Assert.Equal(Runnable, probe.State);
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
        Assert.Equal(Runnable, probe.State);
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
