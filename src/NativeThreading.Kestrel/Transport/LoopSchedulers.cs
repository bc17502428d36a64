namespace NativeThreading.Kestrel.Transport;

/// <summary>The loops of a transport, in turn.</summary>
internal sealed class LoopSchedulers(EventLoopGroup group, bool handsOver)
{
    private readonly LoopScheduler[] _schedulers = [.. group.Loops.Select(loop => new LoopScheduler(loop, handsOver))];
    private uint _next;

    public LoopScheduler Next() => _schedulers[(Interlocked.Increment(ref _next) - 1) % (uint)_schedulers.Length];
}
