namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>The steps the rows are made of.</summary>
internal static partial class LoopAsyncCases
{
    private static async Task Twice(LoopTrace trace, Func<Task> step)
    {
        trace.Note();
        await step();
        trace.Note();
        await step();
        trace.Note();
    }

    private static async Task Leave(LoopTrace trace, Func<Action, Task> steps)
    {
        trace.Note();
        await steps(trace.Note).ConfigureAwait(false);
    }

    private static async Task LeavingMethod(LoopTrace trace)
    {
        await trace.CompletedOnAForeignThread().ConfigureAwait(false);
        await Task.Yield();
    }

    private static Task CompletedOnTheLoop(LoopTrace trace, TaskCreationOptions options)
    {
        var source = new TaskCompletionSource(options);
        trace.Loop.UnsafePost(completed => ((TaskCompletionSource)completed!).SetResult(), source);
        return source.Task;
    }

    private static async IAsyncEnumerable<int> Numbers(LoopTrace trace)
    {
        for (int i = 0; i < 5; i++)
        {
            await trace.CompletedOnAForeignThread();
            yield return i;
        }
    }

    private sealed class SlowlyDisposed(LoopTrace trace) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await trace.CompletedOnAForeignThread();
    }
}
