using System.Diagnostics;

namespace NativeThreading.Tables.HandOver;

/// <summary>A loop that hands over, one blocked callback at a time.</summary>
internal sealed class HandedOverLoop : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    // Kernel events: a thread that waits here takes no processor from the measured threads.
    private readonly AutoResetEvent _wentOn = new(initialState: false), _returned = new(initialState: false);
    private readonly EventLoop _loop;
    private Exception? _failure;
    private BlockingWay? _way;
    private long _blockedAt, _wentOnAt;

    public HandedOverLoop() => _loop = new EventLoop(new EventLoopOptions
    {
        Name = "handover",
        HandsOverWhenBlocked = true,
        UnhandledException = exception =>
        {
            _failure ??= exception;
            return true;
        },
    });

    /// <summary>The time from the last instruction before the block to the first of a callback that was queued by then. The loop sleeps before, and
    /// its monitor with it: they begin as they would with a lone request.</summary>
    public TimeSpan Measure(BlockingWay way)
    {
        _way = way;
        way.Prepare();
        _loop.UnsafePost(static own => ((HandedOverLoop)own!).Block(), this);
        Wait(_wentOn);
        way.LetGo();
        Wait(_returned);
        long began = Stopwatch.GetTimestamp();
        while (_loop.HandOver!.FormerCount != 0 || _loop.HandOver.IsAwake)
        {
            if (Stopwatch.GetElapsedTime(began) > s_deadline)
            {
                throw new MeasurementException("the loop did not come to rest.");
            }

            Thread.Sleep(1);
        }

        return _failure is null ? Stopwatch.GetElapsedTime(_blockedAt, _wentOnAt) : throw new MeasurementException($"a callback threw: {_failure}");
    }

    public void Dispose()
    {
        _loop.Dispose();
        _wentOn.Dispose();
        _returned.Dispose();
    }

    private static void Wait(AutoResetEvent happened)
    {
        if (!happened.WaitOne(s_deadline))
        {
            throw new MeasurementException($"the loop did not continue within {s_deadline.TotalSeconds} s.");
        }
    }

    private void Block()
    {
        _loop.UnsafePost(static own => ((HandedOverLoop)own!).GoOn(), this);
        _blockedAt = Stopwatch.GetTimestamp();
        _way!.Block();
        _returned.Set();
    }

    private void GoOn()
    {
        _wentOnAt = Stopwatch.GetTimestamp();
        _wentOn.Set();
    }
}
