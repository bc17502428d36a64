using NativeThreading.Platform;
using NativeThreading.Scheduling;

namespace NativeThreading.Starvation;

/// <summary>Detects lost requests and wake-ups: items are visible and a worker is idle, but no worker is woken (T5). That would be a defect
/// of this library. Used by the monitor's thread only.</summary>
internal sealed class Watchdog(NativeThreadPool pool)
{
    private TimeSpan _unchanged;
    private ulong _word;
    private long _completed;

    /// <summary>Checks once. Returns whether there is a reason to check again.</summary>
    public bool Look(long pending, int idle, TimeSpan elapsed)
    {
        ulong word = pool.Signal.Word;
        bool requested = (word & SignalWord.Requested) != 0;
        if ((pending == 0 || idle == 0) && !requested)
        {
            _unchanged = TimeSpan.Zero;
            return false;
        }

        long completed = pool.CompletedWorkItemCount;
        bool changed = word != _word || completed != _completed;
        (_word, _completed) = (word, completed);
        _unchanged = changed ? TimeSpan.Zero : _unchanged + elapsed;
        TimeSpan age = requested ? WorkerSignal.Age(word) : _unchanged;
        if (age > StarvationTuning.RequestExpiry && _unchanged > StarvationTuning.RepairConfirmation)
        {
            _unchanged = TimeSpan.Zero;
            pool.Requests.Repair(word, age);
        }

        return true;
    }
}
