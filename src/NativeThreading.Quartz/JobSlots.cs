namespace NativeThreading.Quartz;

/// <summary>How many jobs may be on this node at once, and how many more there may be now.</summary>
internal sealed class JobSlots(int count)
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource? _change;
    private int _free = count;
    private bool _closed;

    /// <summary>All of them.</summary>
    public int Count { get; } = count;

    /// <summary>Completes when no slot is given away any more and all have been returned.</summary>
    public Task Drained => _drained.Task;

    /// <summary>Waits until a slot is free, and tells how many are; 0 once they are closed.</summary>
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

    /// <summary>False if none is free, or they are closed.</summary>
    public bool TryTake()
    {
        lock (_lock)
        {
            if (_closed || _free == 0)
            {
                return false;
            }

            _free--;
            return true;
        }
    }

    public void Return()
    {
        lock (_lock)
        {
            _free++;
            Tell();
        }
    }

    /// <summary>Gives no slot away any more. May be called more than once.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _closed = true;
            Tell();
        }
    }

    private void Tell()
    {
        _change?.SetResult();
        _change = null;
        if (_closed && _free == Count)
        {
            _drained.TrySetResult();
        }
    }
}
