using NativeThreading.Workers;

namespace NativeThreading.Tests.Support;

/// <summary>What a pool's state word and counts say.</summary>
internal static class PoolState
{
    extension(NativeThreadPool pool)
    {
        /// <summary>Nothing queued, and every worker announced idle: nobody runs or looks.</summary>
        public bool IsQuiet
        {
            get
            {
                ulong word = pool.Signal.Word;
                return pool.PendingWorkItemCount == 0
                    && (word & (WorkerSignal.Requested | WorkerSignal.Lingering)) == 0
                    && WorkerSignal.IdleCount(word) + pool.Roster.ReserveCount == pool.ThreadCount;
            }
        }

        /// <summary>Waits until nobody runs and nothing waits.</summary>
        public void WaitUntilQuiet() => Deadline.Until(() => pool.IsQuiet, $"{pool} becomes quiet ({pool.PendingWorkItemCount} pending)");
    }
}
