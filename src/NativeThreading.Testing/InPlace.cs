using System.Runtime.CompilerServices;

namespace NativeThreading.Testing;

/// <summary>Awaits a task and resumes in the call that completes it. The framework's awaiter resumes on the built-in pool if that call has a context
/// of its own, as items of the pool have.</summary>
internal readonly struct InPlace(Task task) : ICriticalNotifyCompletion
{
    public bool IsCompleted => task.IsCompleted;

    public InPlace GetAwaiter() => this;

    public void GetResult() => task.GetAwaiter().GetResult();

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => task.ContinueWith(
        static (_, continuation) => ((Action)continuation!)(),
        continuation,
        CancellationToken.None,
        TaskContinuationOptions.ExecuteSynchronously,
        TaskScheduler.Default);
}
