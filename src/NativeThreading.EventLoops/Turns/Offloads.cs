using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops.Turns;

/// <summary>A loop's offloaded work: the work that runs on a pool, and the number of pending completions.</summary>
internal sealed class Offloads(EventLoop loop)
{
    private readonly OffloadItemCache _items = new();
    private long _onLoop; // started minus completed there; only the loop's thread uses it
    private long _elsewhere;

    /// <summary>Whether the caller may count without an interlocked step. In a loop that hands over no thread may: another thread may take over at
    /// any moment.</summary>
    private bool IsInLoop => loop.HandOver is null && loop.IsInLoop;

    /// <summary>The number of pending completions. Exact on the loop's thread.</summary>
    public long Outstanding => _onLoop + Volatile.Read(ref _elsewhere);

    public void Start(NativeThreadPool pool, Action<object?> work, Action<object?> completed, object? state)
    {
        bool isInLoop = IsInLoop;
        if (!isInLoop)
        {
            loop.Lifecycle.BeforeEntry();
        }

        ExecutionContext? context = DefaultContext.Flowing();
        OffloadItem item = _items.Take(isInLoop);
        item.Set(loop, work, completed, state, context);
        Count(isInLoop, 1);
        Chaos.Point("Offloads.Start, counted");
        try
        {
            loop.Lifecycle.ThrowIfEntryIsOver();
            pool.EnqueueCaptured(OffloadItem.RunOnPool, item, context, mayBlock: !loop.IsInLoop);
        }
        catch
        {
            Dropped();
            _items.Return(item, isInLoop);
            throw;
        }
    }

    public Task<TResult> StartAsync<TResult, TWork>(
        NativeThreadPool pool, TWork work, Func<NativeThreadPool, TWork, CancellationToken, Task> run, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentNullException.ThrowIfNull(work);
        loop.Lifecycle.BeforeEntry();
        var operation = new OffloadOperation<TResult>(loop);
        Count(IsInLoop, 1);
        try
        {
            loop.Lifecycle.ThrowIfEntryIsOver();
            return operation.Start(run(pool, work, cancellationToken));
        }
        catch
        {
            Dropped();
            throw;
        }
    }

    /// <summary>The pool rejected or dropped the work: no completion will follow.</summary>
    public void Dropped()
    {
        bool isInLoop = IsInLoop;
        Count(isInLoop, -1);
        if (!isInLoop)
        {
            loop.Lifecycle.LookIfDraining();
        }
    }

    /// <summary>The completion runs now.</summary>
    public void Completed(OffloadItem? item = null)
    {
        bool isInLoop = IsInLoop;
        Count(isInLoop, -1);
        if (item is not null)
        {
            _items.Return(item, isInLoop);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Count(bool isInLoop, int change)
    {
        if (isInLoop)
        {
            _onLoop += change;
        }
        else
        {
            Interlocked.Add(ref _elsewhere, change);
        }
    }
}

/// <summary>One <c>OffloadAsync</c>: the task that completes on the loop when the pool's task has completed.</summary>
internal sealed class OffloadOperation<TResult>(EventLoop loop)
    : TaskCompletionSource<TResult>(loop.IsInLoop && loop.HandOver is null ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously)
{
    private static readonly Action<object?> s_complete = static operation => Unsafe.As<OffloadOperation<TResult>>(operation!).Complete();

    private Task? _work;

    public Task<TResult> Start(Task work)
    {
        _work = work;
        work.WhenEnded(static (_, operation) => ((OffloadOperation<TResult>)operation!).Return(), this);
        return Task;
    }

    private void Return() => loop.PostContinuation(s_complete, this);

    private void Complete()
    {
        loop.Offloads.Completed();
        this.SetFrom(_work!);
    }
}
