using NativeThreading.Diagnostics;

namespace NativeThreading.Testing;

/// <summary>An item of a <see cref="ManualThreadPool"/>, in its queue or in the list of those that wait for a permit.</summary>
internal sealed class ManualWorkItem
{
    [ThreadStatic]
    private static ManualWorkItem? t_running;

    [ThreadStatic]
    private static bool t_isDue;

    private readonly Action<object?> _callback;
    private readonly object? _state;
    private readonly ExecutionContext _context;

    /// <param name="callback">What runs.</param>
    /// <param name="state">Passed to it.</param>
    /// <param name="context">What it runs in; <see langword="null"/> for the default context.</param>
    public ManualWorkItem(Action<object?> callback, object? state, ExecutionContext? context)
    {
        _callback = callback;
        _state = state;
        _context = context ?? DefaultContext.Value;
        Node = new LinkedListNode<ManualWorkItem>(this);
    }

    /// <summary>The item that the calling thread runs, the innermost.</summary>
    public static ManualWorkItem? Running => t_running;

    /// <summary>Whether the calling thread queues work because its time has come. That is new work, although an item queues it.</summary>
    public static bool IsDue => t_isDue;

    /// <summary>The options that it was queued with, or <see langword="null"/>.</summary>
    public ManualWorkView? View { get; } = ManualWorkView.Current;

    /// <summary>Where it is; under the lock of the queue.</summary>
    public LinkedListNode<ManualWorkItem> Node { get; }

    /// <summary>Whether it continues accepted work: such an item is never rejected or dropped.</summary>
    public bool IsContinuation { get; init; }

    /// <summary>Whether it was queued by a thread that ran no item of the pool.</summary>
    public bool IsFromOutside { get; init; }

    /// <summary>Whether it starts work, and so waits while the pool is paused.</summary>
    public bool IsHeldByPause { get; init; }

    /// <summary>Whether it starts an operation that needs a place in a pool that bounds operations.</summary>
    public bool NeedsPlace { get; init; }

    /// <summary>Whether it has that place; under the lock of the queue.</summary>
    public bool HoldsPlace { get; set; }

    /// <summary>Of a raw item: what may end it before it starts, or <see langword="null"/>.</summary>
    public ManualStartTime? StartTime { get; init; }

    /// <summary>Of a raw item that is observed: what runs in place of it.</summary>
    public ObservedCall? Observed { get; set; }

    /// <summary>Of a call of <c>Run</c> or <c>RunAsync</c>: how it ends without its function.</summary>
    public ManualRefusal? Refusal { get; init; }

    /// <summary>Whether it counts against the limit.</summary>
    public bool HoldsPermit { get; set; }

    /// <summary>Puts an item that waited for a permit into the queue, if that takes more than adding it.</summary>
    public Func<bool>? Admit { get; init; }

    /// <summary>Completes when an item that waited for a permit has been accepted.</summary>
    public TaskCompletionSource? Accepted { get; init; }

    /// <summary>Ends when the item has started.</summary>
    public CancellationTokenRegistration Registration { get; set; }

    /// <summary>Queues work whose time has come.</summary>
    public static TResult WhenDue<TResult>(Func<TResult> queue)
    {
        t_isDue = true;
        try
        {
            return queue();
        }
        finally
        {
            t_isDue = false;
        }
    }

    /// <summary>Runs it as a worker would; the calling thread finds its own contexts again.</summary>
    public void Run()
    {
        Registration.Unregister();
        SynchronizationContext? synchronizationContext = SynchronizationContext.Current;
        ExecutionContext? context = ExecutionContext.Capture();
        if (context is null)
        {
            ExecutionContext.Run(_context, static item => ((ManualWorkItem)item!).RunHere(), this); // flow is suppressed
            return;
        }

        // Without ExecutionContext.Run, which would throw an exception again on each level of items that run on their callers.
        try
        {
            ExecutionContext.Restore(_context);
            RunHere();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(synchronizationContext);
            ExecutionContext.Restore(context);
        }
    }

    private void RunHere()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        (ManualWorkItem? Running, bool IsDue) outer = (t_running, t_isDue);
        (t_running, t_isDue) = (this, false);
        try
        {
            ManualWorkView.Outside(Call);
        }
        finally
        {
            (t_running, t_isDue) = outer;
        }
    }

    private void Call()
    {
        if (StartTime is { } start && !start.TryBegin())
        {
            Observed?.NoteNotStarted(start.HasExpired);
        }
        else if (Observed is { } observed)
        {
            observed.CallRaw();
        }
        else
        {
            _callback(_state);
        }
    }
}
