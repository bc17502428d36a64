using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.Keyed;

/// <summary>A call of <c>Run</c> or <c>RunAsync</c>. An async function keeps its turn until its task has completed.</summary>
/// <typeparam name="TResult">The type of the result; <see cref="NoResult"/> if there is none.</typeparam>
/// <remarks>Code that awaits the outcome never resumes inside the turn, which would delay the next items.</remarks>
internal sealed class FunctionItem<TResult> : KeyedItem
{
    private static readonly Action<object?, CancellationToken> s_cancel =
        static (item, token) => Unsafe.As<FunctionItem<TResult>>(item!).Cancel(token);

    private readonly TaskCompletionSource<TResult> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationToken _token;
    private CancellationTokenRegistration _registration;
    private readonly bool _isAsync;
    private Delegate? _function;

    /// <param name="function">The function: an <see cref="Action"/>, a function with a result, or an async function.</param>
    /// <param name="isAsync">Whether the function returns a task.</param>
    /// <param name="token">The token that cancels the call until it starts.</param>
    public FunctionItem(Delegate function, bool isAsync, CancellationToken token)
        : base(DefaultContext.Flowing())
    {
        (_function, _isAsync, _token) = (function, isAsync, token);
        RememberCaller();
    }

    public Task<TResult> Outcome => _outcome.Task;

    public override Delegate? Subject => Volatile.Read(ref _function);

    public override bool IsCall => true;

    protected override bool IsContended => _token.CanBeCanceled;

    public override bool Refuse(Exception reason)
    {
        _function = null;
        _registration.Unregister();
        if (reason is OperationCanceledException cancelled)
        {
            _outcome.SetCanceled(cancelled);
        }
        else
        {
            _outcome.SetException(reason);
            _ = Outcome.Exception; // observed: a call that throws returns no task
        }

        return true;
    }

    /// <summary>The item was not pushed.</summary>
    public void Fail(Exception reason, KeyedEntry entry)
    {
        if (TryTake()) // its token may have cancelled it
        {
            Refuse(reason);
        }

        if (entry == KeyedEntry.Throws)
        {
            throw reason;
        }
    }

    protected override void OnJoining() => _registration = _token.UnsafeRegister(s_cancel, this); // may cancel here

    protected override Task? Call()
    {
        Delegate function = _function!;
        _function = null;
        _registration.Unregister();
        try
        {
            if (_isAsync)
            {
                return Begin(Unsafe.As<Func<Task>>(function));
            }

            if (typeof(TResult) == typeof(NoResult))
            {
                Unsafe.As<Action>(function)();
                _outcome.SetResult(default!);
            }
            else
            {
                _outcome.SetResult(Unsafe.As<Func<TResult>>(function)());
            }
        }
        catch (OperationCanceledException exception) when (_isAsync || (_token.IsCancellationRequested && exception.CancellationToken == _token))
        {
            _outcome.SetCanceled(exception); // with any token if the function is async, as with Task.Run
        }
        catch (Exception exception)
        {
            _outcome.SetException(exception);
        }

        return null;
    }

    protected override void SetFrom(Task rest)
    {
        if (rest.IsCompletedSuccessfully)
        {
            _outcome.SetResult(typeof(TResult) == typeof(NoResult) ? default! : Unsafe.As<Task<TResult>>(rest).Result);
        }
        else
        {
            _outcome.SetFrom(rest);
        }
    }

    private Task? Begin(Func<Task> function)
    {
        FlowToAwaits();
        Task? rest = function();
        if (rest is null)
        {
            _outcome.SetCanceled(); // as with Task.Run
        }
        else if (rest.IsCompleted)
        {
            SetFrom(rest);
        }
        else
        {
            return rest;
        }

        return null;
    }

    private void Cancel(CancellationToken token)
    {
        if (TryTake())
        {
            _function = null;
            _outcome.TrySetCanceled(token);
        }
    }
}
