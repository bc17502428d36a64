namespace NativeThreading.Workers;

/// <summary>
/// How many items a worker may move into its lane at once: as many as fit into a short time, judged by what items have
/// cost lately. One where they are long or nothing is known: what was moved waits behind what its worker runs (T133).
/// </summary>
internal struct ItemCost
{
    private const int Many = 1_024;

    private long _since;
    private long _completed;
    private long _ofMany; // what Many items take, where they are short
    private int _most;

    /// <summary>Items that fit.</summary>
    public readonly int MostPerBatch => Mechanisms.If(Mechanisms.BatchesByCost, Math.Max(_most, 1), WorkerTuning.MostPerBatch);

    /// <summary>
    /// Takes the time that items have taken since the last call or <see cref="Pause"/>, and begins anew. A batch shrinks at
    /// once and grows twofold: the price of a wrong guess is others' order.
    /// </summary>
    public void Measure(long now, long completed)
    {
        long items = completed - _completed;
        if (_since != 0 && items > 0)
        {
            long fit = items * WorkerTuning.BatchTime / Math.Max(now - _since, 1);
            _most = (int)Math.Clamp(fit, 1, Math.Min(WorkerTuning.MostPerBatch, 2 * MostPerBatch));

            if (_most < WorkerTuning.MostPerBatch)
            {
                _ofMany = WorkerTuning.BatchTime * Many / WorkerTuning.MostPerBatch; // the most that they cost once they are known to be short
            }
            else if (items >= WorkerTuning.MostPerBatch / 2)
            {
                _ofMany = (now - _since) * Many / items; // of a few items the time is mostly that of what lies around them
            }
        }

        (_since, _completed) = (now, completed);
    }

    /// <summary>
    /// Whether so many items take no longer than that, judged by what they have cost lately. Known only where they have been short many
    /// times in a row.
    /// </summary>
    public readonly bool Fit(long items, long time) => _most == WorkerTuning.MostPerBatch && items * _ofMany / Many <= time;

    /// <summary>What follows is not the time of items.</summary>
    public void Pause() => _since = 0;
}
