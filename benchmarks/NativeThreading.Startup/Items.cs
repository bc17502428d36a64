namespace NativeThreading.Startup;

/// <summary>An application that begins with a few items.</summary>
internal static class Items
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    public static void RunOnOwnPool(int items)
    {
        var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "startup" }); // not disposed: its end is not timed
        using var done = new CountdownEvent(items);
        for (int i = 0; i < items; i++)
        {
            pool.QueueUserWorkItem(static done => done.Signal(), done, preferLocal: false);
        }

        Wait(done);
    }

    public static void RunOnRuntimesPool(int items)
    {
        using var done = new CountdownEvent(items);
        for (int i = 0; i < items; i++)
        {
            ThreadPool.QueueUserWorkItem(static done => done.Signal(), done, preferLocal: false);
        }

        Wait(done);
    }

    private static void Wait(CountdownEvent done)
    {
        if (!done.Wait(s_deadline))
        {
            throw new TimeoutException($"{done.CurrentCount} items have not ended after {s_deadline.TotalSeconds} s.");
        }
    }
}
