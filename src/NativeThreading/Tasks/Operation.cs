using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>
/// An operation of <c>Run</c> that waits to begin: the state of its first item, and what its caller's task unwraps. A task
/// for the first part would cost the scheduler's entry and the task's own.
/// </summary>
/// <typeparam name="TTask">What the function returns.</typeparam>
internal sealed class Operation<TTask>(Func<TTask> function) : TaskCompletionSource<TTask>
    where TTask : Task
{
    /// <summary>The item's callback: it is a resumption, which finds the scheduler and a context for its awaits.</summary>
    public static readonly Action<object?> Begin = static operation => Unsafe.As<Operation<TTask>>(operation!).BeginHere();

    private Func<TTask>? _function = function;

    private void BeginHere()
    {
        Func<TTask> function = _function!;
        _function = null; // the operation may outlive what began it
        TTask rest;
        try
        {
            rest = NativeThreadPool.NoteIfOpen(function());
        }
        catch (Exception exception)
        {
            SetException(exception);
            return;
        }

        SetResult(rest);
    }
}
