using System.Diagnostics;
using System.Globalization;

namespace NativeThreading.Samples.Cluster;

/// <summary>A line a second, and the rate in the end.</summary>
internal sealed class Progress(int items)
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(200); // to look costs the database a little

    private long _began;
    private long _shown;
    private long _done;
    private long _doneBefore;
    private TimeSpan _time;

    public static Task TickAsync() => Task.Delay(s_tick);

    /// <summary>The first call starts the clock.</summary>
    public void Begin() => _began = _began == 0 ? Stopwatch.GetTimestamp() : _began;

    public void Show(IReadOnlyList<(string Node, long Done)> nodes)
    {
        if (_began == 0)
        {
            return;
        }

        long done = nodes.Sum(node => node.Done);
        if (_doneBefore == 0)
        {
            _doneBefore = done; // what was done before the clock was started
        }

        if (done > _done)
        {
            (_done, _time) = (done, Stopwatch.GetElapsedTime(_began));
        }

        if (_shown == 0 || Stopwatch.GetElapsedTime(_shown) > TimeSpan.FromSeconds(1))
        {
            _shown = Stopwatch.GetTimestamp();
            Print(nodes);
        }
    }

    public void End(IReadOnlyList<(string Node, long Done)> nodes)
    {
        Print(nodes);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{_time.TotalSeconds:0.0} s, {(_done - _doneBefore) / Math.Max(_time.TotalSeconds, 0.001):0.0} items/s"));
    }

    private void Print(IReadOnlyList<(string Node, long Done)> nodes) => Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"{Stopwatch.GetElapsedTime(_began).TotalSeconds,6:0.0} s  {nodes.Sum(node => node.Done)} of {items}  {string.Join("  ", nodes.Select(node => $"{node.Node} {node.Done}"))}"));
}
