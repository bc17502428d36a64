using System.Runtime.CompilerServices;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops;

/// <summary>One <c>OffloadAsync</c>: the task that completes on the loop when the pool's has ended.</summary>
internal sealed class OffloadOperation<TResult>(EventLoop loop)
    : TaskCompletionSource<TResult>(loop.IsInLoop ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously)
{
    private static readonly Action<object?> s_complete = static operation => Unsafe.As<OffloadOperation<TResult>>(operation!).Complete();

    private Task? _work;

    public Task<TResult> Start(Task work)
    {
        _work = work;
        loop.OffloadBegan();
        work.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(() => loop.PostContinuation(s_complete, this));
        return Task;
    }

    private void Complete()
    {
        loop.OffloadCompleted();
        this.SetFrom(_work!);
    }
}
