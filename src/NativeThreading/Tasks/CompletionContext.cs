using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// Is notified on the completing thread that tasks have completed, and then completes its own task. The framework posts to a context when the code
/// that awaits there can continue. A continuation of another kind costs one more task, or runs on the built-in pool if the completing thread has a
/// context or a scheduler (T67).
/// </summary>
internal abstract class CompletionContext : SynchronizationContext
{
    private static readonly Action s_nothing = static () => { };
    private static readonly Action<object?> s_complete = static context => Unsafe.As<CompletionContext>(context!).Complete();

    private int _toldAtOnce; // by the observing thread alone

    /// <summary>The pool to which <see cref="Complete"/> is queued if it must not run on the completing thread.</summary>
    protected abstract NativeThreadPool Pool { get; }

    /// <summary>Called by the framework when a task has completed.</summary>
    public sealed override void Post(SendOrPostCallback d, object? state)
    {
        if (Current == this)
        {
            _toldAtOnce++; // code that continues after it must not find this context as its own
        }
        else
        {
            TasksCompleted(1);
        }
    }

    public sealed override SynchronizationContext CreateCopy() => this;

    /// <summary>Observes the tasks: each is counted once when it has completed, possibly before this method returns.</summary>
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

    /// <summary>This number of further tasks has completed. Any thread may call this, and several at a time.</summary>
    protected abstract void TasksCompleted(int count);

    /// <summary>Completes the task that waits for the tasks, which runs its continuations.</summary>
    protected abstract void Complete();

    /// <summary>
    /// Completes here, unless the continuations of a task must run asynchronously, or the stack has no space left for a long chain.
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
            Pool.EnqueueResumption(s_complete, this, null, preferLocal: true);
        }
    }
}
