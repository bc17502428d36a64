using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Diagnostics;

namespace NativeThreading.EventLoops.Diagnostics;

/// <summary>The instruments of event loops, on a meter of the same name as those of pools (<see cref="PoolMetrics"/>) and made in the same way: a
/// loop belongs to one set for life.</summary>
/// <remarks>All are observable. Turns have to be timed for two of them, which loops do only while a listener reads these.</remarks>
internal sealed class LoopMetrics
{
    public const string LoopTag = "native_threading.loop.name";

    private static readonly Lazy<LoopMetrics> s_static = new(static () => new LoopMetrics(new Meter(PoolMetrics.Options())));
    private static readonly ConditionalWeakTable<IMeterFactory, LoopMetrics> s_byFactory = [];

    private readonly Meter _meter;
    private readonly Instrument _turns;
    private readonly Instrument _busy;

    static LoopMetrics() => LoadContextEnd.Register(End);

    private LoopMetrics(Meter meter)
    {
        _meter = meter;
        meter.CreateObservableUpDownCounter(
            "native_threading.loop.queue.length", () => Observe(static loop => loop.PendingCallbackCount), "{callback}", "Callbacks that are posted and have not started.");
        _turns = meter.CreateObservableCounter(
            "native_threading.loop.turn.count", () => Observe(static loop => loop.Turns.Count), "{turn}", "Completed turns, counted while a listener is attached.");
        _busy = meter.CreateObservableCounter(
            "native_threading.loop.busy.time",
            () => Observe(static loop => Stopwatch.GetElapsedTime(0, loop.Turns.Busy).TotalSeconds),
            "s",
            "Duration of these turns, each from a wake-up of the loop to its next sleep.");
    }

    /// <summary>Whether a listener wants to know how many turns there are or what they take. By the loop's thread, once a turn.</summary>
    public bool WantsTurns => _turns.Enabled || _busy.Enabled;

    /// <summary>The instruments of a factory, the same each time, or those of the process. Existing listeners learn of them.</summary>
    public static LoopMetrics Of(IMeterFactory? factory) =>
        factory is null ? s_static.Value : s_byFactory.GetValue(factory, static factory => new LoopMetrics(factory.Create(PoolMetrics.Options())));

    /// <summary>As for pools: the runtime lists a meter until it is disposed.</summary>
    private static void End()
    {
        foreach ((_, LoopMetrics metrics) in s_byFactory)
        {
            metrics._meter.Dispose();
        }

        s_byFactory.Clear();
        if (s_static.IsValueCreated)
        {
            s_static.Value._meter.Dispose();
        }
    }

    /// <summary>One measurement for each name of a loop: the sum over those that have not stopped. Where all have, the value of the last.</summary>
    private IEnumerable<Measurement<T>> Observe<T>(Func<EventLoop, T> read)
        where T : struct, System.Numerics.INumber<T> =>
        LoopRegistry.Loops.Where(loop => loop.Metrics == this).GroupBy(
            static loop => loop.Name, (name, loops) => new Measurement<T>(Total([.. loops], read), new KeyValuePair<string, object?>(LoopTag, name)));

    private static T Total<T>(EventLoop[] loops, Func<EventLoop, T> read)
        where T : struct, System.Numerics.INumber<T> =>
        Array.TrueForAll(loops, static loop => loop.IsStopped)
            ? read(loops[^1])
            : loops.Where(static loop => !loop.IsStopped).Aggregate(T.Zero, (total, loop) => total + read(loop));
}
