using System.Runtime.CompilerServices;

namespace NativeThreading.Tasks;

/// <summary>One that a token may cancel until it begins. Whoever takes the function decides: it begins, or it is cancelled.</summary>
internal sealed class CancellableOperation<TResult> : Operation<TResult>
{
    private static readonly Action<object?, CancellationToken> s_cancel =
        static (operation, token) => Unsafe.As<CancellableOperation<TResult>>(operation!).Cancel(token);

    private readonly CancellationTokenRegistration _registration;

    public CancellableOperation(NativeThreadPool pool, Func<Task> function, CancellationToken cancellationToken)
        : base(pool, function) => _registration = cancellationToken.UnsafeRegister(s_cancel, this); // may cancel here

    protected override Func<Task>? TakeFunction()
    {
        Func<Task>? function = TakeFunctionOnce();
        _registration.Unregister();
        if (function is null)
        {
            Pool.CancelledItems.Remove();
        }

        return function;
    }

    private void Cancel(CancellationToken cancellationToken)
    {
        if (TakeFunctionOnce() is not null)
        {
            Pool.CancelledItems.Add(); // first: code that sees the task end finds its place free
            TrySetCanceled(cancellationToken);
        }
    }
}
