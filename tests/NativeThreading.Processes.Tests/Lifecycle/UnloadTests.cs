using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// T141: a plug-in that has used the library can be unloaded, and is gone within seconds. In a process of its own: where the
/// application's own copy of the library has an event source too, one of the same name, a listener of either keeps the
/// plug-in's, and other tests listen.
/// </summary>
public sealed class UnloadTests
{
    [Fact]
    public async Task T141_WhatHasUsedIt() => AssertSucceeded(await ChildProcess.RunAsync(UseAndUnload));

    /// <summary>An exporter of the application keeps its instruments until it is notified that they are gone.</summary>
    [Fact]
    public async Task T141_WhileTheApplicationListens() => AssertSucceeded(await ChildProcess.RunAsync(ListenMeanwhile));

    /// <summary>Uses and unloads one for each case. The threads of each stay for a second, all for the same one.</summary>
    private static int UseAndUnload()
    {
        Action[] cases = [PluginCases.UsePool, PluginCases.UseLoop, PluginCases.Block, PluginCases.UseShared, PluginCases.UseFactory];
        (string Name, WeakReference Plugin)[] used = [.. cases.Select(static inside => (inside.Method.Name, Plugin.RunAndUnload(inside)))];
        foreach ((string name, WeakReference plugin) in used)
        {
            AssertIsGone(plugin, name);
        }

        return 0;
    }

    private static int ListenMeanwhile()
    {
        int started = 0, completed = 0;
        using var meters = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == PoolMetrics.Name)
                {
                    listener.EnableMeasurementEvents(instrument);
                    Interlocked.Increment(ref started);
                }
            },
            MeasurementsCompleted = (_, _) => Interlocked.Increment(ref completed),
        };
        meters.Start();
        using var events = new Listener();

        AssertIsGone(Plugin.RunAndUnload(PluginCases.Block), nameof(PluginCases.Block));
        return started != 0 && started == completed ? 0 : 1;
    }

    private static void AssertSucceeded(ChildProcess.Result child) => Assert.True(child.ExitCode == 0, child.ToString());

    private static void AssertIsGone(WeakReference plugin, string name) => Deadline.Until(() =>
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        return !plugin.IsAlive;
    }, $"the plug-in of {name} is unloaded");

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
