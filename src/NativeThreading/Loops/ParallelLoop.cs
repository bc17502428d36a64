using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.Loops;

/// <summary>A loop that its caller runs, together with helpers: items of the pool that start while there is work left.</summary>
/// <remarks>
/// The caller takes part, and waits only for helpers that have started. So a loop completes also if the pool has no thread for it: nested loops,
/// full queues and stopped pools cost parallelism, and are no deadlock. A helper that starts queues two more, so short loops end before many are there.
/// </remarks>
internal abstract class ParallelLoop : IDroppable
{
    private static readonly Action<ParallelLoop> s_help = static loop => loop.Help();
    private static readonly Action<object?> s_cancel = static loop => ((ParallelLoop)loop!)._isStopped = true;

    private readonly UninterruptedLock _lock = new();
    private readonly TaskCompletionSource _done = new();
    private readonly IWorkScheduler _scheduler;
    private readonly CancellationToken _token;
    private List<Exception>? _exceptions;
    private int _unqueued; // helpers that may still be queued
    private int _running = 1; // the caller, and helpers that have started; 0 at the end
    private volatile bool _isStopped;

    protected ParallelLoop(IWorkScheduler scheduler, CancellationToken token)
    {
        (_scheduler, _token) = (scheduler, token);
        Degree = scheduler is NativeThreadPool pool ? pool.MaxThreads
            : scheduler.Scheduler.MaximumConcurrencyLevel == 1 ? 1 // a scheduler without threads
            : Environment.ProcessorCount;
    }

    /// <summary>How many threads run the loop at most.</summary>
    protected int Degree { get; }

    /// <summary>Whether no iteration may start any more.</summary>
    protected bool IsStopped => _isStopped;

    /// <summary>Runs the loop.</summary>
    /// <param name="iterations">How many parts it has at most.</param>
    /// <exception cref="AggregateException">What the iterations have thrown.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pool is shutting down, and the caller is not one of its workers.</exception>
    public void Run(long iterations)
    {
        _token.ThrowIfCancellationRequested();
        if (_scheduler is NativeThreadPool pool && pool.State.Lifecycle.IsEnding && NativeThreadPool.Current != pool)
        {
            throw pool.ShutDownError();
        }

        _unqueued = (int)Math.Min(Degree, iterations) - 1;
        using (_token.UnsafeRegister(s_cancel, this))
        {
            SavedContexts callers = SavedContexts.Take();
            QueueHelper();
            RunShare();
            callers.Restore();
            if (Interlocked.Decrement(ref _running) != 0 && !CompletionPoll.Until(this, static loop => Volatile.Read(ref loop._running) == 0))
            {
                WaitForHelpers();
            }
        }

        ThrowIfFailed();
    }

    /// <summary>Runs iterations until none is left, or the loop is stopped.</summary>
    protected abstract void RunIterations();

    /// <summary>Keeps an exception for the caller.</summary>
    protected void Fail(Exception exception)
    {
        using (_lock.EnterScope())
        {
            (_exceptions ??= []).Add(exception);
        }
    }

    private void WaitForHelpers()
    {
        try
        {
            Completion.Wait(_done.Task);
        }
        catch (ThreadInterruptedException)
        {
            _isStopped = true;
            throw;
        }
    }

    /// <summary>A helper does not count as dropped: it is no work of the user, and the caller runs the loop.</summary>
    bool IDroppable.Drop(CancellationToken stopToken) => false;

    private void Help()
    {
        int running = Volatile.Read(ref _running);
        while (true)
        {
            if (running == 0)
            {
                return; // the loop has ended
            }

            int seen = Interlocked.CompareExchange(ref _running, running + 1, running);
            if (seen == running)
            {
                break;
            }

            running = seen;
        }

        Chaos.Point("ParallelLoop.Help, joined");
        QueueHelper();
        QueueHelper();
        RunShare();
        if (Interlocked.Decrement(ref _running) == 0)
        {
            Completion.Set(_done);
        }
    }

    private void QueueHelper()
    {
        if (_isStopped || Interlocked.Decrement(ref _unqueued) < 0)
        {
            return;
        }

        try
        {
            _scheduler.TryQueueUserWorkItem(s_help, this, preferLocal: true);
        }
        catch (Exception exception) when (NativeThreadPool.IsRefusal(exception))
        {
            // No room, or no thread: the threads that are there run the loop.
        }
    }

    private void RunShare()
    {
        try
        {
            RunIterations();
        }
        catch (Exception exception)
        {
            _isStopped = true;
            Fail(exception);
        }
    }

    private void ThrowIfFailed()
    {
        if (_exceptions is { } exceptions)
        {
            // As the framework's loops do: one cancellation stands for all.
            if (!_token.IsCancellationRequested || exceptions.Exists(exception => (exception as OperationCanceledException)?.CancellationToken != _token))
            {
                throw new AggregateException(exceptions);
            }
        }

        _token.ThrowIfCancellationRequested();
    }
}
