using System.IO.Pipes;
using NativeThreading.Platform;
using NativeThreading.Tables.Harness;
using NativeThreading.Workloads.Quiet;

namespace NativeThreading.Tables.EventLoops;

/// <summary>Loops with a descriptor and a timer of in an hour, left alone: nothing may happen. Both at the same time,
/// each in its process.</summary>
internal static class IdleRows
{
    public static readonly string[] Names = ["native/idle", "csharp/idle"];

    public static RowResult[] Measure(TimeSpan window, NativeDriver? driver)
    {
        using var loop = new EventLoop(new EventLoopOptions { Name = "idle-loop" });
        using var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        using var timer = new EventLoopTimer(loop, static _ => { }, null);
        loop.InvokeAsync(() => loop.Register(pipe.SafePipeHandle, EventLoopInterest.Read, static (_, _) => { }, null)).Wait();
        timer.Arm(TimeSpan.FromHours(1));

        var watched = new WatchedThreads(loop.Name);
        bool settled = WatchedThreads.Settle(TimeSpan.FromMilliseconds(500), watched);
        EventLoopStats before = loop.Stats;
        driver?.BeginIdle(window);
        Thread.Sleep(window);
        Sample managed = watched.Since();
        Sample? native = driver?.EndIdle(window);
        EventLoopStats after = loop.Stats;

        string over = $"watched once, asleep for {window.TotalSeconds} s with a descriptor and a timer of in an hour";
        string calls = $"{after.SystemCalls - before.SystemCalls} system calls";
        var rows = new List<RowResult>();
        if (native is Sample sample)
        {
            rows.Add(Row(Names[0], "system calls", sample, $"{over}; CPU time of the whole process"));
        }

        rows.Add(Row(Names[1], "switches", managed, $"{over}{(settled ? "" : ", not settled before")}; {calls}, CPU time of its thread"));
        return [.. rows];
    }

    private static RowResult Row(string name, string unit, Sample sample, string note) =>
        new(name, unit, Better.Lower, sample, builtIn: null, note);
}
