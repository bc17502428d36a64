using System.Runtime.CompilerServices;

namespace NativeThreading.Testing;

/// <summary>Ends a call of <c>Run</c> or <c>RunAsync</c> whose function is not to be called any more, as a <see cref="NativeThreadPool"/> does:
/// a synchronous function's task fails with the exception, and an operation is cancelled by a cancellation.</summary>
internal sealed class ManualRefusal
{
    private Exception? _exception;

    /// <summary>Why the function is not called; set before the item is run.</summary>
    public void Set(Exception exception) => Volatile.Write(ref _exception, exception);

    /// <summary>The first act of the task of a synchronous function.</summary>
    public void ThrowIfSet()
    {
        if (Volatile.Read(ref _exception) is { } exception)
        {
            throw exception;
        }
    }

    /// <summary>What the task of an operation returns instead of its function's; <see langword="null"/> where it may be called.</summary>
    public Task? Outcome()
    {
        if (Volatile.Read(ref _exception) is not { } exception)
        {
            return null;
        }

        var builder = AsyncTaskMethodBuilder.Create(); // a cancellation cancels it
        builder.SetException(exception);
        return builder.Task;
    }

    /// <inheritdoc cref="Outcome()"/>
    public Task<TResult>? Outcome<TResult>()
    {
        if (Volatile.Read(ref _exception) is not { } exception)
        {
            return null;
        }

        var builder = AsyncTaskMethodBuilder<TResult>.Create();
        builder.SetException(exception);
        return builder.Task;
    }
}
