using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>
/// Notices items that wait next to an idle worker while no thread is requested and nothing changes. The library would find them itself a
/// second later, by a check that is there for other reasons, and the lost wake would remain unknown.
/// </summary>
internal sealed class StrandedItems(NativeThreadPool pool)
{
    /// <summary>Less than that second; more than a thread that has published and is to ask next is kept from its processor.</summary>
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(0.7);

    /// <summary>What the time between two looks counts for at most: no sample is taken while the process is stopped as a whole.</summary>
    private static readonly TimeSpan s_mostBetweenLooks = TimeSpan.FromMilliseconds(20);

    private TimeSpan _last;
    private TimeSpan _unchanged;
    private ulong _word;
    private long _completed;

    /// <returns>What is wrong; <see langword="null"/> if nothing is.</returns>
    public string? Look(TimeSpan now)
    {
        TimeSpan since = now - _last;
        _last = now;
        ulong word = pool.Signal.Word;
        long completed = pool.CompletedWorkItemCount;
        bool isSuspicious = WorkerSignal.IdleCount(word) != 0
            && (word & (SignalWord.Requested | SignalWord.Lingering | SignalWord.Sentinel)) == 0
            && pool.PendingWorkItemCount != 0
            && !pool.IsPaused;
        bool isUnchanged = word == _word && completed == _completed;
        (_word, _completed) = (word, completed);
        _unchanged = isSuspicious && isUnchanged ? _unchanged + (since < s_mostBetweenLooks ? since : s_mostBetweenLooks) : TimeSpan.Zero;
        if (_unchanged <= s_limit)
        {
            return null;
        }

        _unchanged = TimeSpan.Zero;
        return $"{pool.PendingWorkItemCount} items have waited for {s_limit.TotalSeconds} s while workers were idle, and no worker was requested; the word is {word:X16}";
    }
}
