using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Lifecycle;

/// <summary>T141: a plug-in that has used the library can be unloaded, and is gone within seconds.</summary>
public sealed class UnloadTests
{
    [Fact]
    public void T141_APool() => AssertUnloads(PluginCases.UsePool);

    [Fact]
    public void T141_ALoop() => AssertUnloads(PluginCases.UseLoop);

    [Fact]
    public void T141_BlockedThreads() => AssertUnloads(PluginCases.Block);

    [Fact]
    public void T141_TheSharedPool() => AssertUnloads(PluginCases.UseShared);

    [Fact]
    public void T141_AFactoryThatKeepsNoMeter() => AssertUnloads(PluginCases.UseFactory);

    /// <summary>
    /// An exporter of the application's keeps what it listens to, until it is told that there is no more. In a process of
    /// its own: where the application's own copy of the library has an event source too, one of the same name, a listener
    /// of the plug-in's keeps it.
    /// </summary>
    [Fact]
    public async Task T141_WhileTheApplicationListens()
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(ListenMeanwhile);
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int ListenMeanwhile()
    {
        int begun = 0, completed = 0;
        using var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == PoolMetrics.Name)
                {
                    listener.EnableMeasurementEvents(instrument);
                    Interlocked.Increment(ref begun);
                }
            },
            MeasurementsCompleted = (_, _) => Interlocked.Increment(ref completed),
        };
        meters.Start();
        using var events = new Listener();

        AssertUnloads(PluginCases.Block);
        return begun != 0 && begun == completed ? 0 : 1;
    }

    private static void AssertUnloads(Action inside)
    {
        WeakReference plugin = Plugin.RunAndUnload(inside);
        Deadline.Until(() =>
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
            GC.WaitForPendingFinalizers();
            return !plugin.IsAlive;
        }, "the plug-in is unloaded");
    }

    /// <summary>Listens to every event of the library, of its double in a plug-in too, and keeps none.</summary>
    private sealed class Listener : EventListener
    {
        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == PoolMetrics.Name)
            {
                EnableEvents(eventSource, EventLevel.Verbose, EventKeywords.All);
            }
        }
    }
}
