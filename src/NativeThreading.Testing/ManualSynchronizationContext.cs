namespace NativeThreading.Testing;

/// <summary>The context through which operations of <c>Run</c> resume. As on a <see cref="NativeThreadPool"/>, all operations share it, so that
/// one operation can resume another inline.</summary>
internal sealed class ManualSynchronizationContext(ManualThreadPool pool, ManualWorkView? view) : SynchronizationContext
{
    /// <summary>Whether the calling thread runs an operation of a pool.</summary>
    public static bool IsOf(ManualThreadPool other) => Current is ManualSynchronizationContext context && context.Pool == other;

    private ManualThreadPool Pool => pool;

    /// <summary>Continuations of tasks (an action) and of yields (a state machine, which is a task) carry their own execution context.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        ExecutionContext? context = state is Action or Task ? null : ExecutionContext.Capture();
        if (view is null)
        {
            pool.Resume(d, state, context);
        }
        else
        {
            view.In(() =>
            {
                pool.Resume(d, state, context);
                return true;
            });
        }
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (ManualThreadPool.Current != pool)
        {
            throw new InvalidOperationException($"SynchronizationContext.Send to {pool} would deadlock: the pool runs work only when the test calls RunOne or RunAll. Use Post instead.");
        }

        d(state);
    }

    public override SynchronizationContext CreateCopy() => this;
}
