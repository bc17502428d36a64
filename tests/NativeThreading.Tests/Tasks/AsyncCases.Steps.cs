using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>The steps the rows are made of.</summary>
internal static partial class AsyncCases
{
    private static async Task Twice(AsyncTrace trace, Func<Task> step)
    {
        trace.Note();
        await step();
        trace.Note();
        await step();
        trace.Note();
    }

    private static async Task Leave(AsyncTrace trace, Func<Action, Task> steps)
    {
        trace.Note();
        await steps(trace.Note).ConfigureAwait(false);
    }

    private static async Task LeavingMethod(AsyncTrace trace)
    {
        await CompletedOnAForeignThread(trace).ConfigureAwait(false);
        await Task.Yield();
    }

    private static Task CompletedOnAForeignThread(AsyncTrace trace, TaskCreationOptions options = TaskCreationOptions.None)
    {
        var source = new TaskCompletionSource(options);
        OnAForeignThread(trace, source.SetResult);
        return source.Task;
    }

    private static Task FailedOnAForeignThread(AsyncTrace trace)
    {
        var source = new TaskCompletionSource();
        OnAForeignThread(trace, () => source.SetException(new InvalidOperationException()));
        return source.Task;
    }

    // Once the pool is quiet: the caller has reached its await, and the continuation is the completing thread's to schedule.
    private static void OnAForeignThread(AsyncTrace trace, Action action) => new Thread(() =>
    {
        trace.Pool.WaitUntilQuiet();
        action();
    }).Start();

    private static async IAsyncEnumerable<int> Numbers(AsyncTrace trace)
    {
        for (int i = 0; i < 5; i++)
        {
            await CompletedOnAForeignThread(trace);
            yield return i;
        }
    }

    private sealed class SlowlyDisposed(AsyncTrace trace) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await CompletedOnAForeignThread(trace);
    }
}
