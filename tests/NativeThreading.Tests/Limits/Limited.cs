using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Limits;

/// <summary>Pools whose queue is limited, as tests need them.</summary>
internal static class Limited
{
    public static NativeThreadPool Pool(int limit, QueueFullMode mode, int threads = 1, Func<Exception, bool>? handler = null) =>
        new(new NativeThreadPoolOptions
        {
            Name = "limited",
            MaxThreads = threads,
            MinThreads = threads,
            MaxBlockedThreads = 0,
            QueueLimit = limit,
            QueueFullMode = mode,
            UnhandledException = handler,
        });

    extension(NativeThreadPool pool)
    {
        /// <summary>Queues as many items as may wait.</summary>
        public void Fill(Action? item = null)
        {
            while (pool.TryQueueUserWorkItem(_ => item?.Invoke(), null))
            {
            }

            Assert.Equal(pool.QueueLimit, pool.Probe.HeldPermits);
        }

        /// <summary>No item holds a permit, and no caller waits for one.</summary>
        public void AssertEmpty()
        {
            pool.WaitUntilQuiet();
            Deadline.Until(() => pool.Probe.HeldPermits == 0, $"all permits are free ({pool.Probe.HeldPermits} are not)");
            Assert.Equal(0, pool.Probe.WaitingCallers);
        }

        /// <summary>All queued items have started; a task releases its permit a little after it was taken from the queue.</summary>
        public void AssertBegun() =>
            Deadline.Until(() => pool.PendingWorkItemCount == 0 && pool.Probe.HeldPermits == 0, "all items have started");

        public void WaitForWaiters(int count) =>
            Deadline.Until(() => pool.Probe.WaitingCallers == count, $"{count} callers wait for a permit ({pool.Probe.WaitingCallers} do)");
    }
}
