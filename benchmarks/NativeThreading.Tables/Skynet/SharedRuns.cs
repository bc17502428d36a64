namespace NativeThreading.Tables.Skynet;

/// <summary>A peer that stands in two rows of one size runs once per round for both: its runs are most of the table's time. A row that has had the
/// last sample gets a new one.</summary>
internal sealed class SharedRuns(Func<Sample> run)
{
    private readonly HashSet<string> _had = [];
    private Sample _last;

    public Sample For(string row)
    {
        if (_had.Count == 0 || !_had.Add(row))
        {
            _last = run();
            _had.Clear();
            _had.Add(row);
        }

        return _last;
    }
}
