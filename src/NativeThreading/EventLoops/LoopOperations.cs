using NativeThreading.Async;

namespace NativeThreading.EventLoops;

/// <summary><c>InvokeAsync(Action)</c>.</summary>
internal sealed class ActionOperation(EventLoop loop, Action action) : LoopOperation<NoResult>(loop)
{
    protected override Task? Invoke(out NoResult result)
    {
        action();
        result = default;
        return null;
    }
}

/// <summary><c>InvokeAsync(Func&lt;TResult&gt;)</c>.</summary>
internal sealed class FunctionOperation<TResult>(EventLoop loop, Func<TResult> function) : LoopOperation<TResult>(loop)
{
    protected override Task? Invoke(out TResult result)
    {
        result = function();
        return null;
    }
}

/// <summary><c>InvokeAsync</c> of an async function, with or without a result. A function that throws a cancellation or returns
/// null counts as cancelled, as with <see cref="Task.Run(Func{Task})"/> (T142).</summary>
internal sealed class AsyncOperation<TResult>(EventLoop loop, Func<Task> function) : LoopOperation<TResult>(loop)
{
    protected override Task? Invoke(out TResult result)
    {
        result = default!;
        try
        {
            return function() ?? CancelledTask.By(new TaskCanceledException());
        }
        catch (OperationCanceledException exception)
        {
            return CancelledTask.By(exception);
        }
    }
}
