using System.Runtime.CompilerServices;
using NativeThreading.Async;
using NativeThreading.Threads;

namespace NativeThreading.EventLoops;

/// <summary>One <c>OffloadAsync</c>: the task that completes on the loop when the pool's task has completed.</summary>
internal sealed class OffloadOperation<TResult>(EventLoop loop)
    : TaskCompletionSource<TResult>(loop.IsInLoop && loop.HandOver is null ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously)
{
    private static readonly Action<object?> s_complete = static operation => Unsafe.As<OffloadOperation<TResult>>(operation!).Complete();

    private Task? _work;

    public Task<TResult> Start(Task work)
    {
        _work = work;
        work.WhenEnded(static (_, operation) => ((OffloadOperation<TResult>)operation!).Return(), this);
        return Task;
    }

    private void Return() => loop.PostContinuation(s_complete, this);

    private void Complete()
    {
        loop.Offloads.Completed();
        this.SetFrom(_work!);
    }
}
