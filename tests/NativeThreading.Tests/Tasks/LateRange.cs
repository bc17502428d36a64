using NativeThreading.Tests.Support;
using NativeThreading.Tuning;

namespace NativeThreading.Tests.Tasks;

/// <summary>A range that a thread outside has counted and not published yet: its group is not done, and has nothing to run.</summary>
internal sealed class LateRange : IDisposable
{
    public const int Items = QueueTuning.ShortestRange;

    private readonly HeldGrowth _held = new("range");
    private readonly Thread _producer;
    private Exception? _thrown;

    public LateRange(WorkGroup group, Action<int>? item = null)
    {
        _producer = new Thread(() => _thrown = Record.Exception(() => group.QueueRange(item ?? (static _ => { }), [.. Enumerable.Range(0, Items)])))
        {
            IsBackground = true,
        };
        _producer.UnsafeStart();
        _held.WaitForOne();
    }

    /// <summary>The range is published; returns what its producer gets to see.</summary>
    public Exception? Publish()
    {
        _held.Release();
        Deadline.Join(_producer);
        return _thrown;
    }

    public void Dispose()
    {
        Publish();
        _held.Dispose();
    }
}
