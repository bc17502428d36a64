using NativeThreading.Waiting;

namespace NativeThreading.EventLoops;

/// <summary>Unused offload items. They come back on the loop's thread, which keeps some for itself without a lock and leaves the
/// rest to other threads that offload.</summary>
internal sealed class OffloadItemCache
{
    private readonly UninterruptedLock _lock = new();
    private Stack _own; // only the loop's thread
    private Stack _shared; // under the lock

    public OffloadItem Take(bool isInLoop) => (isInLoop ? _own.Pop() : TakeShared()) ?? new OffloadItem();

    public void Return(OffloadItem item, bool isInLoop)
    {
        item.Clear();
        if (isInLoop && _own.TryPush(item, Mechanisms.If(Mechanisms.OffloadItems, LoopTuning.OwnOffloadItems)))
        {
            return;
        }

        using var held = _lock.EnterScope();
        _shared.TryPush(item, Mechanisms.If(Mechanisms.OffloadItems, LoopTuning.SharedOffloadItems));
    }

    private OffloadItem? TakeShared()
    {
        using var held = _lock.EnterScope();
        return _shared.Pop();
    }

    private struct Stack
    {
        private OffloadItem? _top;
        private int _count;

        public OffloadItem? Pop()
        {
            OffloadItem? item = _top;
            if (item is not null)
            {
                _top = item.Next;
                _count--;
            }

            return item;
        }

        public bool TryPush(OffloadItem item, int most)
        {
            if (_count >= most)
            {
                return false;
            }

            item.Next = _top;
            _top = item;
            _count++;
            return true;
        }
    }
}
