using NativeThreading.Workers;

namespace NativeThreading.Tables.Soak.Watch;

/// <summary>
/// Notices items that wait beside an idle worker while nobody is asked and nothing changes. The library would find them itself a
/// second later, by a look that is there for other reasons, and nobody would ever know that a wake had been lost.
/// </summary>
internal sealed class StrandedItems(NativeThreadPool pool)
{
    /// <summary>Less than that second; more than a thread that has published and is to ask next is kept from its processor.</summary>
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(0.7);

    private TimeSpan _since;
    private ulong _word;
    private long _completed;

    /// <returns>What is wrong; <see langword="null"/> if nothing is.</returns>
    public string? Look(TimeSpan now)
    {
        ulong word = pool.Signal.Word;
        long completed = pool.CompletedWorkItemCount;
        bool isSuspicious = WorkerSignal.IdleCount(word) != 0
            && (word & (WorkerSignal.Requested | WorkerSignal.Lingering | WorkerSignal.Watching)) == 0
            && pool.PendingWorkItemCount != 0;
        if (!isSuspicious || word != _word || completed != _completed)
        {
            (_since, _word, _completed) = (now, word, completed);
            return null;
        }

        if (now - _since <= s_limit)
        {
            return null;
        }

        _since = now;
        return $"{pool.PendingWorkItemCount} items have waited for {s_limit.TotalSeconds} s beside idle workers, and nobody was asked; the word is {word:X16}";
    }
}
