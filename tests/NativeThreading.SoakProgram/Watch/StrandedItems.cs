using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>
/// Notices items that wait beside an idle worker while nobody is asked and nothing changes. The library would find them itself a
/// second later, by a look that is there for other reasons, and nobody would ever know that a wake had been lost.
/// </summary>
internal sealed class StrandedItems(NativeThreadPool pool)
{
    /// <summary>Less than that second; more than a thread that has published and is to ask next is kept from its processor.</summary>
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(0.7);

    /// <summary>What the time between two looks counts for at most: nobody looks while the process is stopped as a whole.</summary>
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
            && pool.PendingWorkItemCount != 0;
        bool isUnchanged = word == _word && completed == _completed;
        (_word, _completed) = (word, completed);
        _unchanged = isSuspicious && isUnchanged ? _unchanged + (since < s_mostBetweenLooks ? since : s_mostBetweenLooks) : TimeSpan.Zero;
        if (_unchanged <= s_limit)
        {
            return null;
        }

        _unchanged = TimeSpan.Zero;
        return $"{pool.PendingWorkItemCount} items have waited for {s_limit.TotalSeconds} s beside idle workers, and nobody was asked; the word is {word:X16}";
    }
}
