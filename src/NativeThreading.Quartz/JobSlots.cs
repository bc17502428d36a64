namespace NativeThreading.Quartz;

/// <summary>How many jobs may be on this node at once, and how many more there may be now.</summary>
/// <remarks>The scheduler of Quartz waits for room, on another pool's thread. To wake that for each job that ends may cost more than a short
/// job does. So as long as jobs that have a slot wait for a thread, and the pool has other work, it is woken when a quarter of the slots
/// are free; once none waits, of any that is.</remarks>
internal sealed class JobSlots(int count)
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _worthTelling = Math.Max(1, count / 4);
    private TaskCompletionSource? _change;
    private int _free = count;
    private int _notBegun;
    private bool _closed;

    /// <summary>All of them.</summary>
    public int Count { get; } = count;

    /// <summary>Whether the scheduler waits for room and has not been woken for it.</summary>
    public bool IsAwaited
    {
        get
        {
            lock (_lock)
            {
                return _change is not null;
            }
        }
    }

    /// <summary>Completes when no slot is given away any more and all have been returned.</summary>
    public Task Drained => _drained.Task;

    /// <summary>Tells how many slots are free, if any is; else waits until it is worth while to ask again. 0 once they are closed.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first.</exception>
    public async ValueTask<int> FreeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Task change;
            lock (_lock)
            {
                if (_closed || _free > 0)
                {
                    return _closed ? 0 : _free;
                }

                change = (_change ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            }

            await change.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Takes one for a job that will wait for a thread, until <see cref="Begin"/>. False if none is free, or they are closed.</summary>
    public bool TryTake()
    {
        lock (_lock)
        {
            if (_closed || _free == 0)
            {
                return false;
            }

            _free--;
            _notBegun++;
            return true;
        }
    }

    /// <summary>A job that has a slot has a thread, too.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            _notBegun--;
            TellIfWorthWhile();
        }
    }

    /// <summary>A job that had started has ended.</summary>
    public void Return()
    {
        lock (_lock)
        {
            _free++;
            TellIfWorthWhile();
            if (_closed)
            {
                TellDrained();
            }
        }
    }

    /// <summary>Gives no slot away any more. May be called more than once.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _closed = true;
            TellIfWorthWhile();
            TellDrained();
        }
    }

    private void TellIfWorthWhile()
    {
        if (_change is not null && (_closed || _free >= _worthTelling || (_free > 0 && _notBegun == 0)))
        {
            _change.SetResult();
            _change = null;
        }
    }

    private void TellDrained()
    {
        if (_free == Count)
        {
            _drained.TrySetResult();
        }
    }
}
