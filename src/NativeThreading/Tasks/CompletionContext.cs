using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// Learns on the completing thread, whichever that is, that tasks have completed, and then completes something itself. The
/// framework tells a context, by a post, that the awaiting code there can continue. A continuation of another kind is a task more, or
/// goes over the built-in pool where the completing thread has a context or a scheduler (T67).
/// </summary>
internal abstract class CompletionContext : SynchronizationContext
{
    private static readonly Action s_nothing = static () => { };
    private static readonly Action<object?> s_complete = static context => Unsafe.As<CompletionContext>(context!).Complete();

    private int _toldAtOnce; // by the observing thread alone

    /// <summary>Where <see cref="Complete"/> is queued if it must not run on the completing thread.</summary>
    protected abstract NativeThreadPool Pool { get; }

    /// <summary>The framework's way of saying that a task has completed.</summary>
    public sealed override void Post(SendOrPostCallback d, object? state)
    {
        if (Current == this)
        {
            _toldAtOnce++; // whatever continues after it must not find this context as its own
        }
        else
        {
            TasksCompleted(1);
        }
    }

    public sealed override SynchronizationContext CreateCopy() => this;

    /// <summary>Says once of each task when it has completed, maybe before this returns.</summary>
    protected void Observe(params ReadOnlySpan<Task> tasks)
    {
        SynchronizationContext? current = Current;
        SetSynchronizationContext(this);
        try
        {
            foreach (Task task in tasks)
            {
                if (task.IsCompleted)
                {
                    _toldAtOnce++;
                }
                else
                {
                    task.GetAwaiter().UnsafeOnCompleted(s_nothing);
                }
            }
        }
        finally
        {
            SetSynchronizationContext(current);
        }

        if (_toldAtOnce != 0)
        {
            TasksCompleted(_toldAtOnce);
        }
    }

    /// <summary>So many more of the tasks have completed. Called by any thread, several at a time.</summary>
    protected abstract void TasksCompleted(int count);

    /// <summary>Completes the task that waits for the tasks, which runs its continuations.</summary>
    protected abstract void Complete();

    /// <summary>
    /// Completes here, unless a task's own continuations are to run asynchronously, or there is no stack left for those of a
    /// long chain.
    /// </summary>
    protected void CompleteHere(TaskCreationOptions options)
    {
        if ((options & TaskCreationOptions.RunContinuationsAsynchronously) == 0 && RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            Complete();
        }
        else
        {
            // A resumption has a context, so that code that awaits elsewhere does not continue in it.
            Pool.EnqueueResumption(s_complete, this, default(ExecutionContext), preferLocal: true);
        }
    }
}
