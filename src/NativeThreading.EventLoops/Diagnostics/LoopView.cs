using NativeThreading.Diagnostics;

namespace NativeThreading.EventLoops.Diagnostics;

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

    /// <summary>Callbacks that ran on the runtime's pool because the loop had stopped.</summary>
    public long RanElsewhereCount => loop.RanElsewhereCount;
}
