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
    private readonly Stack<OffloadItem> _own = []; // only the loop's thread
    private readonly Stack<OffloadItem> _shared = []; // under the lock

    public OffloadItem Take(bool isInLoop)
    {
        if (isInLoop)
        {
            return _own.TryPop(out OffloadItem? own) ? own : new OffloadItem();
        }

        using var held = _lock.EnterScope();
        return _shared.TryPop(out OffloadItem? shared) ? shared : new OffloadItem();
    }

    public void Return(OffloadItem item, bool isInLoop)
    {
        item.Clear();
        if (isInLoop && _own.Count < LoopTuning.OwnOffloadItems)
        {
            _own.Push(item);
            return;
        }

        using var held = _lock.EnterScope();
        if (_shared.Count < LoopTuning.SharedOffloadItems)
        {
            _shared.Push(item);
        }
    }
}
