namespace NativeThreading.Workloads.Blocked;

/// <summary>Threads above the pool's number, one idle timeout and a second after everything has come back.</summary>
internal static class Recovery
{
    public const string Name = "recovery/threads";

    private const int Blocked = 64;
    private static readonly TimeSpan IdleTimeout = TimeSpan.FromSeconds(1);

    public static Sample Run()
    {
        int target = Environment.ProcessorCount;
        using var pool = new OwnPool(new NativeThreadPoolOptions { Name = "starve", MinThreads = target, IdleTimeout = IdleTimeout });
        using var blocker = new EventBlocker();
        using var ended = new CountdownEvent(Blocked);
        for (int i = 0; i < Blocked; i++)
        {
            pool.UnsafeQueue(() =>
            {
                blocker.Block();
                ended.Signal();
            });
        }

        SpinWait.SpinUntil(() => pool.Pool.PendingWorkItemCount == 0, TimeSpan.FromSeconds(10));
        int most = pool.Pool.ThreadCount;
        if (most < Blocked)
        {
            throw new MeasurementException($"recovery: only {most} threads for {Blocked} blocked items.");
        }

        Meter meter = Meter.Start();
        blocker.Release();
        ended.Wait();
        Thread.Sleep(IdleTimeout + TimeSpan.FromSeconds(1));
        return meter.Stop().Per(1, pool.Pool.ThreadCount - target);
    }
}
