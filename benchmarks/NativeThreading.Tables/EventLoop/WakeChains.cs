using NativeThreading.Platform;

namespace NativeThreading.Tables.EventLoops;

/// <summary>A callback that posts itself: a wake on the loop's own thread.</summary>
internal sealed class OwnWakeChain() : TurnChain("own-wake", executionsPerTurn: 1, iterationsPerTurn: 1)
{
    private static readonly Action<object?> s_woken = static chain => ((OwnWakeChain)chain!).Woken();

    protected override void StartTurn() => Loop.UnsafePost(s_woken, this);

    private void Woken()
    {
        Executed++;
        EndTurn();
    }
}

/// <summary>A wake through the kernel on the loop's own thread. Each turn has written the wake descriptor and reads it;
/// callbacks that post each other would share turns, so a timer that is due at once begins each.</summary>
internal sealed class KernelWakeChain : TurnChain
{
    private static readonly Action<object?> s_woken = static chain => ((KernelWakeChain)chain!).Woken();

    private readonly EventLoopTimer _timer;
    private EventLoopStats _before;

    public KernelWakeChain()
        : base("kernel-wake", executionsPerTurn: 1, iterationsPerTurn: 1) => _timer = new EventLoopTimer(Loop, s_woken, this);

    protected override void StartTurn()
    {
        _timer.Arm(TimeSpan.Zero);
        _ = Loop.Native.Wake(CoreLoop.WakeThroughKernel);
    }

    protected override void Prepare() => _before = Loop.Stats;

    protected override void Check()
    {
        EventLoopStats now = Loop.Stats;
        (long writes, long reads) = (now.Writes - _before.Writes, now.Reads - _before.Reads);
        if (writes < Executed || reads < Executed - 1) // the last one's is to be read in the turn that comes after
        {
            throw new MeasurementException($"{Executed} wakes through the kernel took {writes} writes and {reads} reads.");
        }
    }

    private void Woken()
    {
        Executed++;
        EndTurn();
    }
}
