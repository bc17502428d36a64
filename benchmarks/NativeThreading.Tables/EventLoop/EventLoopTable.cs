using System.CommandLine;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.EventLoops;

/// <summary>The event loop beside libuv, from C and from C#, all in one interleaved run.</summary>
internal sealed class EventLoopTable : Table
{
    public override string Name => "eventloop";

    public override string Description => "The event loop, native and managed, beside libuv: wakes, timers, registrations, offloading, rest.";

    // A loop and its waker, or its pool, run at the same time.
    public override int RequiredProcessors => 2;

    public override TableResult Measure(RunOptions options, ParseResult arguments, Progress progress)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementException("the event loop exists on Linux only.");
        }

        PeerPrograms programs = PeerPrograms.Built;
        using NativeDriver? driver = NativeDriver.Start(programs);
        var peers = new Peers(driver, programs);
        if (driver is null)
        {
            Console.WriteLine($"Without the native rows: {programs.Missing}");
        }

        Row[] rows = driver is null ? [] : [.. NativeRows.Of(driver, peers)];
        return Interleaver.Measure(rows, Schedule.For(options, seconds: 60, quickSeconds: 12), progress);
    }
}
