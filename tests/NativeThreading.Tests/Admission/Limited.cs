using System.Runtime.CompilerServices;
using NativeThreading.Limits;
using NativeThreading.Tests.Support;
using NativeThreading.Waiting;

namespace NativeThreading.Tests.Admission;

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

    /// <summary>Who holds it decides when somebody joins the line, leaves it or is granted a place.</summary>
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_lock")]
    public static extern ref UninterruptedLock LockOf(this QueuePlaces places);

    extension(NativeThreadPool pool)
    {
        /// <summary>Queues as many items as may wait.</summary>
        public void Fill(Action? item = null)
        {
            while (pool.TryQueueUserWorkItem(_ => item?.Invoke(), null))
            {
            }

            Assert.Equal(pool.QueueLimit, pool.Places!.Taken);
        }

        /// <summary>Nobody holds a place, or stands in line for one.</summary>
        public void AssertEmpty()
        {
            pool.WaitUntilQuiet();
            Deadline.Until(() => pool.Places!.Taken == 0, $"all places are free ({pool.Places!.Taken} are not)");
            Assert.Equal(0, pool.Places!.LineLength);
        }

        /// <summary>Everything that was queued has begun; a task leaves its place a little after it was taken from the queue.</summary>
        public void AssertBegun() =>
            Deadline.Until(() => pool.PendingWorkItemCount == 0 && pool.Places!.Taken == 0, "everything has begun");

        public void WaitForLine(int length) =>
            Deadline.Until(() => pool.Places!.LineLength == length, $"{length} callers stand in line ({pool.Places!.LineLength} do)");
    }
}
