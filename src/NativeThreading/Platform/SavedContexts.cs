namespace NativeThreading.Platform;

/// <summary>What a thread had set when it began to run somebody else's code in place; to be restored on the same thread.</summary>
internal readonly struct SavedContexts
{
    private readonly ExecutionContext _context;
    private readonly SynchronizationContext? _synchronizationContext;
    private readonly bool _isFlowSuppressed;

    private SavedContexts(ExecutionContext context, SynchronizationContext? synchronizationContext, bool isFlowSuppressed)
    {
        _context = context;
        _synchronizationContext = synchronizationContext;
        _isFlowSuppressed = isFlowSuppressed;
    }

    /// <summary>What flows from there, or <see langword="null"/> where the flow was suppressed.</summary>
    public ExecutionContext? Flowing => _isFlowSuppressed ? null : _context;

    /// <summary>Takes the contexts of the calling thread; those it runs in are to be set next, for flow is not suppressed any more.</summary>
    public static SavedContexts Take()
    {
        ExecutionContext? context = ExecutionContext.Capture();
        bool isFlowSuppressed = context is null;
        if (isFlowSuppressed)
        {
            // A context whose flow is suppressed can be neither captured nor restored.
            ExecutionContext.RestoreFlow();
            context = ExecutionContext.Capture();
        }

        return new SavedContexts(context!, SynchronizationContext.Current, isFlowSuppressed);
    }

    /// <summary>Restores them, the suppression included: who began it can undo it.</summary>
    public void Restore()
    {
        SynchronizationContext.SetSynchronizationContext(_synchronizationContext);
        ExecutionContext.Restore(_context);
        if (_isFlowSuppressed)
        {
            ExecutionContext.SuppressFlow();
        }
    }
}
