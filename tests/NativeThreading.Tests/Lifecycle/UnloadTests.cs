using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using NativeThreading.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Lifecycle;

/// <summary>T141: a plug-in that has used the library can be unloaded, and is gone within seconds.</summary>
public sealed class UnloadTests(UnloadTests.Plugins plugins) : IClassFixture<UnloadTests.Plugins>
{
    private static readonly Action[] s_cases =
        [PluginCases.UsePool, PluginCases.UseLoop, PluginCases.Block, PluginCases.UseShared, PluginCases.UseFactory];

    public static TheoryData<string> Cases => new(s_cases.Select(static inside => inside.Method.Name));

    [Theory]
    [MemberData(nameof(Cases))]
    public void T141_WhatHasUsed(string inside) => AssertIsGone(plugins.Unloaded(inside));

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

        AssertIsGone(Plugin.RunAndUnload(PluginCases.Block));
        return begun != 0 && begun == completed ? 0 : 1;
    }

    private static void AssertIsGone(WeakReference plugin) => Deadline.Until(() =>
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        return !plugin.IsAlive;
    }, "the plug-in is unloaded");

    /// <summary>Uses and unloads one for each case. The threads of each stay for a second, all for the same one.</summary>
    public sealed class Plugins
    {
        private readonly Dictionary<string, WeakReference> _unloaded = s_cases.ToDictionary(static inside => inside.Method.Name, Plugin.RunAndUnload);

        public WeakReference Unloaded(string inside) => _unloaded[inside];
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
