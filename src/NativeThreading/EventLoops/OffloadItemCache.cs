using NativeThreading.Waiting;

namespace NativeThreading.EventLoops;

/// <summary>
/// Unused offload items. They come back on the loop's thread, which keeps some for itself without a lock and leaves the rest to
/// other threads that offload.
/// </summary>
internal sealed class OffloadItemCache
{
    private readonly UninterruptedLock _lock = new();
    private OffloadItem? _own; // only the loop's thread
    private int _ownCount;
    private OffloadItem? _shared; // under the lock
    private int _sharedCount;

    public OffloadItem Take(bool isInLoop) => (isInLoop ? TakeOwn() : TakeShared()) ?? new OffloadItem();

    public void Return(OffloadItem item, bool isInLoop)
    {
        item.Clear();
        if (isInLoop && _ownCount < Mechanisms.If(Mechanisms.OffloadItems, LoopTuning.OwnOffloadItems))
        {
            item.Next = _own;
            _own = item;
            _ownCount++;
            return;
        }

        using (_lock.EnterScope())
        {
            if (_sharedCount < Mechanisms.If(Mechanisms.OffloadItems, LoopTuning.SharedOffloadItems))
            {
                item.Next = _shared;
                _shared = item;
                _sharedCount++;
            }
        }
    }

    private OffloadItem? TakeOwn()
    {
        OffloadItem? item = _own;
        if (item is not null)
        {
            _own = item.Next;
            _ownCount--;
        }

        return item;
    }

    private OffloadItem? TakeShared()
    {
        using (_lock.EnterScope())
        {
            OffloadItem? item = _shared;
            if (item is not null)
            {
                _shared = item.Next;
                _sharedCount--;
            }

            return item;
        }
    }
}
