using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops.Turns;

/// <summary>One <c>Offload</c> on its way to the pool and back. Items are used again.</summary>
internal sealed class OffloadItem : IDroppable
{
    public static readonly Action<object?> RunOnPool = static item => Unsafe.As<OffloadItem>(item!).Run();

    private static readonly Action<object?> s_complete = static item => Unsafe.As<OffloadItem>(item!).Complete();

    private EventLoop? _loop;
    private Action<object?>? _work;
    private Action<object?>? _completed;
    private object? _state;
    private object? _context;

    /// <summary>The next item of a cache.</summary>
    public OffloadItem? Next { get; set; }

    public void Set(EventLoop loop, Action<object?> work, Action<object?> completed, object? state, object? context)
    {
        _loop = loop;
        _work = work;
        _completed = completed;
        _state = state;
        _context = context;
    }

    /// <summary>Drops all references before the item goes back to a cache.</summary>
    public void Clear()
    {
        _work = null;
        _completed = null;
        _state = null;
        _context = null;
    }

    /// <summary>The pool will not run the item, so the loop must not wait for it (T114). The pool may hold it, so it is not used again.</summary>
    public bool Drop(CancellationToken stopToken)
    {
        Clear();
        _loop!.Offloads.Dropped();
        return true;
    }

    private void Run()
    {
        try
        {
            _work!(_state);
        }
        finally
        {
            _loop!.Enqueue(s_complete, this, _context);
        }
    }

    private void Complete()
    {
        Action<object?> completed = _completed!;
        object? state = _state;
        _loop!.Offloads.Completed(this); // before the callback, which may offload again
        completed(state);
    }
}

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
        if (isInLoop && _own.TryPush(item, LoopTuning.OwnOffloadItems))
        {
            return;
        }

        using var held = _lock.EnterScope();
        _shared.TryPush(item, LoopTuning.SharedOffloadItems);
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
