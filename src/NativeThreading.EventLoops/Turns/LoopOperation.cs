using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops.Turns;

/// <summary>One <c>InvokeAsync</c>: the callback, and the task that completes with it.</summary>
/// <remarks>A continuation from another thread must not run on the loop's thread when the task completes, so those run asynchronously.
/// Continuations from the loop's own thread would come back to it anyway, and run at once; not in a loop that hands over, where the
/// callback may end on a former driver.</remarks>
/// <param name="loop">The loop.</param>
/// <param name="function">An action, a function of that result or an async function.</param>
/// <param name="isAsync">Whether the function returns a task that the operation waits for.</param>
internal sealed class LoopOperation<TResult>(EventLoop loop, Delegate function, bool isAsync = false)
    : TaskCompletionSource<TResult>(loop.IsInLoop && loop.HandOver is null ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously),
        IDroppable
{
    private static readonly Action<object?> s_run = static operation => Unsafe.As<LoopOperation<TResult>>(operation!).Run();
    private static readonly Action<object?> s_end = static operation => Unsafe.As<LoopOperation<TResult>>(operation!).End();

    private CancellationToken _token;
    private CancellationTokenRegistration _cancellation;
    private Task? _rest;
    private int _started;

    public Task<TResult> Start(CancellationToken token)
    {
        loop.Lifecycle.BeforeEntry();
        if (token.IsCancellationRequested)
        {
            SetCanceled(token);
            return Task;
        }

        _token = token;
        loop.Lifecycle.OperationBegan();
        Chaos.Point("LoopOperation.Start, counted");
        _cancellation = token.UnsafeRegister(static operation => ((LoopOperation<TResult>)operation!).Cancel(), this);
        if (!loop.TryEnqueue(s_run, this, DefaultContext.Flowing()))
        {
            if (Begin())
            {
                loop.Lifecycle.OperationEnded();
                loop.Lifecycle.ThrowShutDown();
            }

            loop.CancelledCallbacks.Remove(); // cancelled: it got no slot
        }

        return Task;
    }

    /// <inheritdoc/>
    public bool Drop(CancellationToken stopToken)
    {
        if (!Begin())
        {
            loop.CancelledCallbacks.Remove();
            return false;
        }

        this.SetCanceled(CancelledTask.StopError(stopToken));
        loop.Lifecycle.OperationEnded();
        return true;
    }

    /// <summary>Calls the function. Returns the task that the operation still waits for, or <see langword="null"/> and the result. An async
    /// function that throws a cancellation or returns null counts as cancelled, as with <see cref="Task.Run(Func{Task})"/> (T142).</summary>
    private Task? Invoke(out TResult result)
    {
        result = default!;
        if (isAsync)
        {
            try
            {
                return Unsafe.As<Func<Task>>(function)() ?? CancelledTask.By(new TaskCanceledException());
            }
            catch (OperationCanceledException exception)
            {
                return CancelledTask.By(exception);
            }
        }

        if (function is Action action)
        {
            action();
        }
        else
        {
            result = Unsafe.As<Func<TResult>>(function)();
        }

        return null;
    }

    private bool Begin()
    {
        if (Interlocked.Exchange(ref _started, 1) != 0)
        {
            return false;
        }

        _cancellation.Unregister();
        return true;
    }

    private void Cancel()
    {
        if (Interlocked.Exchange(ref _started, 1) == 0)
        {
            loop.CancelledCallbacks.Add();
            SetCanceled(_token);
            loop.Lifecycle.OperationEnded();
        }
    }

    private void Run()
    {
        if (!Begin())
        {
            loop.CancelledCallbacks.Remove();
            return;
        }

        try
        {
            _rest = Invoke(out TResult result);
            if (_rest is null)
            {
                SetResult(result);
            }
        }
        catch (OperationCanceledException exception) when (_token.IsCancellationRequested && exception.CancellationToken == _token)
        {
            this.SetCanceled(exception);
        }
        catch (Exception exception)
        {
            SetException(exception);
        }

        if (_rest is null || _rest.IsCompleted)
        {
            End();
        }
        else
        {
            _rest.WhenEnded(static (_, operation) => ((LoopOperation<TResult>)operation!).RestEnded(), this);
        }
    }

    /// <summary>On any thread. A task that runs its continuations at once completes only on the loop: on another thread a
    /// continuation that disposes the loop would wait for this operation, which completes only after the continuation.</summary>
    private void RestEnded()
    {
        if (loop.IsInLoop || Task.CreationOptions != TaskCreationOptions.None)
        {
            End();
        }
        else
        {
            loop.PostContinuation(s_end, this);
        }
    }

    private void End()
    {
        if (_rest is not null)
        {
            this.SetFrom(_rest);
        }

        loop.Lifecycle.OperationEnded();
    }
}
