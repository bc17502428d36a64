using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.Workers;

namespace NativeThreading.EventLoops;

/// <summary>One <c>InvokeAsync</c>: the callback, and the task that tells of its end.</summary>
/// <remarks>
/// Whoever awaits the task from elsewhere must not take over the loop's thread when it completes, so such continuations
/// run asynchronously; those of the loop's own thread, which come back to it in any case, run at once.
/// </remarks>
internal abstract class LoopOperation<TResult>(EventLoop loop)
    : TaskCompletionSource<TResult>(loop.IsInLoop ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously),
        IDroppable
{
    private static readonly Action<object?> s_run = static operation => Unsafe.As<LoopOperation<TResult>>(operation!).Run();
    private static readonly Action<object?> s_end = static operation => Unsafe.As<LoopOperation<TResult>>(operation!).End();

    private CancellationToken _token;
    private CancellationTokenRegistration _cancellation;
    private Task? _rest;
    private int _begun;

    public Task<TResult> Start(CancellationToken token)
    {
        if (token.IsCancellationRequested)
        {
            SetCanceled(token);
            return Task;
        }

        _token = token;
        loop.OperationBegan();
        Chaos.Point("LoopOperation.Start, counted");
        _cancellation = token.UnsafeRegister(static operation => ((LoopOperation<TResult>)operation!).Cancel(), this);
        if (!loop.TryEnqueue(s_run, this, DefaultContext.Flowing()) && Begin())
        {
            loop.OperationEnded();
            loop.ThrowShutDown();
        }

        return Task;
    }

    /// <inheritdoc/>
    public void Drop()
    {
        if (Begin())
        {
            SetCanceled(new CancellationToken(canceled: true));
            loop.OperationEnded();
        }
    }

    /// <summary>Runs the callback. Returns what is still to be waited for, or <see langword="null"/> and the result.</summary>
    protected abstract Task? Invoke(out TResult result);

    private bool Begin()
    {
        if (Interlocked.Exchange(ref _begun, 1) != 0)
        {
            return false;
        }

        _cancellation.Unregister();
        return true;
    }

    private void Cancel()
    {
        if (Interlocked.Exchange(ref _begun, 1) == 0)
        {
            SetCanceled(_token);
            loop.OperationEnded();
        }
    }

    private void Run()
    {
        if (!Begin())
        {
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
            // Not an await's continuation: on threads with a scheduler or a context of their own, which the loop's is, such a
            // one goes over the runtime's pool, and the loop would depend on that (T67).
            _rest.ContinueWith(
                static (_, operation) => ((LoopOperation<TResult>)operation!).RestEnded(),
                this,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }
    }

    /// <summary>
    /// On any thread. A task that runs its continuations at once completes on the loop alone: elsewhere one that disposes
    /// the loop would wait for the end of this very operation, which comes behind it.
    /// </summary>
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

        loop.OperationEnded();
    }
}
