using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Callbacks and timers without end, until disposed.</summary>
internal sealed class Flood : IDisposable
{
    private readonly EventLoop _loop;
    private readonly int _mostPending;
    private readonly List<Func<long>> _counts = [];
    private readonly List<Thread> _threads = [];
    private readonly Action<object?> _post;
    private readonly EventLoopTimer _timer;
    private long _postedByThreads;
    private long _postedByItself;
    private long _fired;
    private volatile bool _isOver;

    public Flood(EventLoop loop, bool byThreads, bool byItself, bool byTimers, int mostPending)
    {
        _loop = loop;
        _mostPending = mostPending;
        _post = PostAgain;
        _timer = new EventLoopTimer(loop, Fire, null);
        if (byThreads)
        {
            _counts.Add(() => Volatile.Read(ref _postedByThreads));
            _threads.Add(new Thread(PostWithoutEnd) { IsBackground = true });
            _threads.ForEach(thread => thread.UnsafeStart());
        }

        if (byItself)
        {
            _counts.Add(() => Volatile.Read(ref _postedByItself));
            loop.Post(_post, null);
        }

        if (byTimers)
        {
            _counts.Add(() => Volatile.Read(ref _fired));
            _timer.Arm(TimeSpan.Zero);
        }
    }

    /// <summary>Returns when each part of it has gone on.</summary>
    public void AwaitProgress()
    {
        long[] before = [.. _counts.Select(count => count())];
        Deadline.Until(() => _counts.Select(count => count()).Zip(before).All(pair => pair.First > pair.Second), "the flood continues");
    }

    public void Dispose()
    {
        _isOver = true;
        _threads.ForEach(thread => Deadline.Join(thread, "flooder"));
        Deadline.Wait(_loop.InvokeAsync(_timer.Dispose)); // on the loop: not between the look in Fire and its Arm
    }

    private void PostWithoutEnd()
    {
        var spinner = new SpinWait();
        while (!_isOver)
        {
            if (_loop.PendingCallbackCount < _mostPending)
            {
                _loop.UnsafePost(_ => Volatile.Write(ref _postedByThreads, _postedByThreads + 1), null);
            }
            else
            {
                spinner.SpinOnce(sleep1Threshold: -1);
            }
        }
    }

    private void PostAgain(object? state)
    {
        Volatile.Write(ref _postedByItself, _postedByItself + 1);
        if (!_isOver)
        {
            _loop.UnsafePost(_post, null);
        }
    }

    private void Fire(object? state)
    {
        Volatile.Write(ref _fired, _fired + 1);
        if (!_isOver)
        {
            _timer.Arm(TimeSpan.Zero);
        }
    }
}
