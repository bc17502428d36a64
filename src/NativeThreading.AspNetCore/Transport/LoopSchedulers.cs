namespace NativeThreading.AspNetCore.Transport;

/// <summary>The loops of a transport, in turn.</summary>
internal sealed class LoopSchedulers(EventLoopGroup group)
{
    private readonly LoopScheduler[] _schedulers = [.. group.Loops.Select(static loop => new LoopScheduler(loop))];
    private uint _next;

    public LoopScheduler Next() => _schedulers[(Interlocked.Increment(ref _next) - 1) % (uint)_schedulers.Length];
}
