namespace NativeThreading.Testing;

/// <summary>What operations of <c>Run</c> resume through, as on a <see cref="NativeThreadPool"/>: one for all, so that they resume one another in place.</summary>
internal sealed class ManualSynchronizationContext(ManualThreadPool pool) : SynchronizationContext
{
    /// <summary>Awaited tasks (an action) and yields (their state machine, which is a task) bring their execution context themselves.</summary>
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        pool.Resume(d, state, state is Action or Task ? null : ExecutionContext.Capture());
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (ManualThreadPool.Current != pool)
        {
            throw new InvalidOperationException($"Nobody would ever run what is sent to {pool}: its thread is the test's.");
        }

        d(state);
    }

    public override SynchronizationContext CreateCopy() => this;
}
