using System.Diagnostics;
using NativeThreading.Platform;
using NativeThreading.Tracing;
using NativeThreading.Diagnostics;

namespace NativeThreading.EventLoops.Diagnostics;

/// <summary>The event loops of the process, for instruments, observers and the core. It keeps none of them alive.</summary>
internal sealed class LoopRegistry : LoopHook
{
    private static readonly WeakList<EventLoop> s_loops = new();

    /// <summary>Runs when the first loop is added.</summary>
    static LoopRegistry()
    {
        Installed = new LoopRegistry();
        LoadContextEnd.Register(static () => Installed = null);
    }

    /// <summary>A snapshot of the loops, including stopped ones that are still referenced.</summary>
    public static List<EventLoop> Loops => s_loops.Items;

    /// <inheritdoc cref="WeakList{T}.Add"/>
    public static int Add(EventLoop loop) => s_loops.Add(loop);

    /// <inheritdoc/>
    public override void Relieve() => EventLoop.RelieveCurrent();

    /// <inheritdoc/>
    public override IReadOnlyList<LoopSnapshot> TakeSnapshots(ThreadObserver observer, long now) =>
        [.. Loops.Where(static loop => !loop.IsStopped).Select(loop => Snapshot(loop, loop.Turns.Look(observer, now)))];

    /// <inheritdoc/>
    public override void Forget(ThreadObserver observer) => Loops.ForEach(loop => loop.Turns.Forget(observer));

    private static LoopSnapshot Snapshot(EventLoop loop, ObservedTurns turns)
    {
        object[] targets = loop.ArmedAndRegistered;
        int registrations = targets.Count(static target => target is EventLoopRegistration);
        return new LoopSnapshot
        {
            Id = loop.Number,
            Name = loop.Name,
            PendingCallbackCount = loop.PendingCallbackCount,
            TurnCount = turns.Count,
            LongestTurn = Stopwatch.GetElapsedTime(0, turns.Longest),
            RunningTurn = Stopwatch.GetElapsedTime(0, turns.Running),
            BusyShare = turns.Elapsed == 0 ? 0 : Math.Clamp((double)turns.Busy / turns.Elapsed, 0, 1),
            ArmedTimerCount = targets.Length - registrations,
            RegistrationCount = registrations,
        };
    }
}

/// <summary>An event loop as a debugger shows it; as with <see cref="PoolView"/>, nothing is locked.</summary>
internal sealed class LoopView(EventLoop loop)
{
    public string Name => loop.Name;
    public string State => loop.IsStopped ? "stopped" : loop.IsDraining ? "draining" : "running";
    public Thread? Thread => loop.Thread;
    public long PendingCallbackCount => loop.PendingCallbackCount;
    public PendingItemView[] PendingCallbacks => PendingItemView.Of(loop.PendingCallbacks);
    public object[] Timers => [.. loop.ArmedAndRegistered.Where(static target => target is not EventLoopRegistration)];
    public EventLoopRegistration[] Registrations => [.. loop.ArmedAndRegistered.OfType<EventLoopRegistration>()];

    /// <summary>Callbacks that ran on the built-in pool because the loop had stopped.</summary>
    public long RanElsewhereCount => loop.RanElsewhereCount;
}
