using System.Runtime.CompilerServices;
using NativeThreading.Admission;
using NativeThreading.Tests.Support;
using NativeThreading.Waiting;

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

    /// <summary>Who holds it decides when somebody joins the waiter list, leaves it or is granted a permit.</summary>
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_lock")]
    public static extern ref UninterruptedLock LockOf(this Permits permits);

    extension(NativeThreadPool pool)
    {
        /// <summary>Queues as many items as may wait.</summary>
        public void Fill(Action? item = null)
        {
            while (pool.TryQueueUserWorkItem(_ => item?.Invoke(), null))
            {
            }

            Assert.Equal(pool.QueueLimit, pool.Permits!.HeldCount);
        }

        /// <summary>Nobody holds a permit, or waits for one.</summary>
        public void AssertEmpty()
        {
            pool.WaitUntilQuiet();
            Deadline.Until(() => pool.Permits!.HeldCount == 0, $"all permits are free ({pool.Permits!.HeldCount} are not)");
            Assert.Equal(0, pool.Permits!.WaiterCount);
        }

        /// <summary>Everything that was queued has begun; a task releases its permit a little after it was taken from the queue.</summary>
        public void AssertBegun() =>
            Deadline.Until(() => pool.PendingWorkItemCount == 0 && pool.Permits!.HeldCount == 0, "everything has begun");

        public void WaitForWaiters(int count) =>
            Deadline.Until(() => pool.Permits!.WaiterCount == count, $"{count} callers wait for a permit ({pool.Permits!.WaiterCount} do)");
    }
}
