namespace NativeThreading.Threads;

/// <summary>A task of the machinery's own that runs where it is started. <see cref="Task.RunSynchronously(TaskScheduler)"/> looks whether
/// the stack is deep enough, and queues the task and blocks for it where it is not: on a worker, for itself (T136).</summary>
/// <remarks>It asks for a thread of its own so that the scheduler, which gives it none, finds it without a look at any other task.</remarks>
internal sealed class InPlaceTask(Action<object?> body, object? state)
    : Task(body, state, TaskCreationOptions.DenyChildAttach | TaskCreationOptions.LongRunning);
