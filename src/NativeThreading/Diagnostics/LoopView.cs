namespace NativeThreading.Diagnostics;

/// <summary>An event loop as a debugger shows it; as with <see cref="PoolView"/>, nothing is locked.</summary>
internal sealed class LoopView(EventLoop loop)
{
    /// <summary>The loop's name.</summary>
    public string Name => loop.Name;

    /// <summary>Whether it runs, finishes what was accepted, or has stopped.</summary>
    public string State => loop.IsStopped ? "stopped" : loop.IsDraining ? "draining" : "running";

    /// <summary>Its thread, whose stack shows what runs.</summary>
    public Thread? Thread => loop.Thread;

    /// <summary>Callbacks that were posted and have not begun.</summary>
    public long PendingCallbackCount => loop.PendingCallbackCount;

    /// <summary>Those callbacks, the oldest first.</summary>
    public PendingItemView[] PendingCallbacks => PendingItemView.Of(loop.PendingCallbacks);

    /// <summary>Timers that are armed.</summary>
    public object[] Timers => [.. loop.ArmedAndRegistered.Where(static target => target is not EventLoopRegistration)];

    /// <summary>Descriptors that are registered.</summary>
    public EventLoopRegistration[] Registrations => [.. loop.ArmedAndRegistered.OfType<EventLoopRegistration>()];

    /// <summary>Callbacks that ran on the runtime's pool because the loop had stopped.</summary>
    public long RanElsewhereCount => loop.RanElsewhereCount;
}
