namespace NativeThreading.Scheduling;

/// <summary>
/// How many items a worker may move into its lane at once: as many as fit into a short time, judged by what items have
/// cost lately. One where they are long or nothing is known: what was moved waits behind what its worker runs (T133).
/// </summary>
internal struct ItemCost
{
    private long _since;
    private long _completed;
    private int _most;

    /// <summary>Items that fit.</summary>
    public readonly int MostPerBatch => Math.Max(_most, 1);

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
        }

        (_since, _completed) = (now, completed);
    }

    /// <summary>What follows is not the time of items.</summary>
    public void Pause() => _since = 0;
}
