using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Tasks;

namespace NativeThreading;

// Items with options.
public sealed partial class WorkGroup
{
    private WorkView? _view; // of the options of the last call

    /// <summary>Queues one item with options. It is a task of the pool that no caller sees.</summary>
    /// <param name="callback">The callback to run.</param>
    /// <param name="state">The argument of the callback.</param>
    /// <param name="options">The options. If an item expires, or its token is cancelled, before it starts, it counts as failed at once, and a wait for the
    /// group throws an <see cref="OperationCanceledException"/>.</param>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <remarks>An item with options costs a few objects more. Items of one group with the same options share some of them.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState)" path="/exception"/>
    /// <example><code>
    /// var group = new WorkGroup(pool);
    /// group.Queue(static page =&gt; Console.WriteLine(page), 1, new WorkOptions { Name = "page", Priority = WorkPriority.High });
    /// group.Wait();
    /// </code></example>
    public void Queue<TState>(Action<TState> callback, TState state, WorkOptions options)
    {
        ArgumentNullException.ThrowIfNull(callback);
        options.Validate();
        if (options == default)
        {
            Queue(callback, state);
        }
        else
        {
            QueueTask(callback, state, options, isAsync: false);
        }
    }

    /// <summary>Queues one item with options unless the queue of the pool is full.</summary>
    /// <returns><see langword="true"/> if the item was queued; <see langword="false"/> if <see cref="NativeThreadPool.QueueLimit"/> items wait.</returns>
    /// <inheritdoc cref="Queue{TState}(Action{TState}, TState, WorkOptions)" path="/*[not(self::summary) and not(@cref='T:NativeThreading.QueueFullException')]"/>
    public bool TryQueue<TState>(Action<TState> callback, TState state, WorkOptions options)
    {
        ArgumentNullException.ThrowIfNull(callback);
        options.Validate();
        if (options == default)
        {
            return TryQueue(callback, state);
        }

        // Between the check and the call another thread may take the permit. Then the item waits for one without a thread, or is rejected.
        return Pool.BeforeEntry() is not null || Pool.Admission is not { } admission
            ? QueueTask(callback, state, options, isAsync: false)
            : admission.Permits.HeldCount < admission.Permits.Limit && QueueTask(callback, state, options, isAsync: true);
    }

    /// <summary>Queues an item as a task, which can end before it starts. <see langword="false"/>: an asynchronous call was rejected.</summary>
    private bool QueueTask<TState>(Action<TState> callback, TState state, WorkOptions options, bool isAsync)
    {
        WorkView view = Volatile.Read(ref _view) is { } last && last.Has(options) ? last : new WorkView(Pool, options, this);
        Volatile.Write(ref _view, view);
        _count.Add(1); // before it is published, as in QueueRange
        Task task;
        try
        {
            var call = new GroupCall<TState>(callback, state);
            task = isAsync ? view.RunAsync(call.Run) : view.Run(call.Run, isAsync: false, CancellationToken.None);
        }
        catch
        {
            Completed(1);
            throw;
        }

        if (isAsync && task.Exception?.InnerException is { } exception && NativeThreadPool.IsRefusal(exception))
        {
            Completed(1);
            return false;
        }

        WakeSleepers(); // the thread that has published the item has passed a fence
        task.WhenEnded(static (task, group) => ((WorkGroup)group!).Ended(task), this);
        return true;
    }

    private void Ended(Task task)
    {
        if (!task.IsCompletedSuccessfully)
        {
            Failed(task.Exception?.InnerException ?? TaskTransfer.ExceptionOf(task));
        }

        Completed(1);
    }
}

/// <summary>An item of a group that is a task.</summary>
internal sealed class GroupCall<TState>(Action<TState> callback, TState state) : IItemSubject
{
    /// <inheritdoc/>
    public Delegate? Subject => state is IItemSubject own ? own.Subject : callback;

    /// <inheritdoc/>
    public bool BeginsWork => true;

    /// <summary>Calls the callback.</summary>
    public void Run() => callback(state);
}
