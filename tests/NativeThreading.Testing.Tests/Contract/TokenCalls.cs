namespace NativeThreading.Testing.Tests.Contract;

/// <summary>Every call that returns a task and takes a token, by name.</summary>
public static class TokenCalls
{
    private static readonly Dictionary<string, Func<IWorkScheduler, Action, CancellationToken, Task>> s_entries = new()
    {
        ["Run(Action)"] = (scheduler, action, token) => scheduler.Run(action, token),
        ["Run(Func)"] = (scheduler, action, token) => scheduler.Run(() => Result(action), token),
        ["Run(async)"] = (scheduler, action, token) => scheduler.Run(() => Completed(action), token),
        ["Run(async with a result)"] = (scheduler, action, token) => scheduler.Run(() => Task.FromResult(Result(action)), token),
        ["RunAsync(Action)"] = (scheduler, action, token) => scheduler.RunAsync(action, token),
        ["RunAsync(Func)"] = (scheduler, action, token) => scheduler.RunAsync(() => Result(action), token),
        ["RunAsync(async)"] = (scheduler, action, token) => scheduler.RunAsync(() => Completed(action), token),
        ["RunAsync(async with a result)"] = (scheduler, action, token) => scheduler.RunAsync(() => Task.FromResult(Result(action)), token),
    };

    private static readonly Dictionary<string, Func<IWorkScheduler, Action, CancellationToken, Task>> s_tasks = new()
    {
        ["StartNew(Action)"] = (scheduler, action, token) => Task.Factory.StartNew(action, token, TaskCreationOptions.None, scheduler.Scheduler),
        ["StartNew(Func)"] = (scheduler, action, token) => Task.Factory.StartNew(() => Result(action), token, TaskCreationOptions.PreferFairness, scheduler.Scheduler),
        ["StartNew(function as its state)"] = (scheduler, action, token) =>
            Task.Factory.StartNew(static action => ((Action)action!)(), action, token, TaskCreationOptions.None, scheduler.Scheduler),
        ["new Task"] = (scheduler, action, token) =>
        {
            var task = new Task(action, token);
            task.Start(scheduler.Scheduler);
            return task;
        },
        ["ContinueWith"] = (scheduler, action, token) =>
            Task.CompletedTask.ContinueWith(_ => action(), token, TaskContinuationOptions.None, scheduler.Scheduler),
    };

    /// <summary>Calls of the scheduler itself.</summary>
    public static TheoryData<string> Entries => [.. s_entries.Keys];

    /// <summary>Tasks of the framework that run on the scheduler.</summary>
    public static TheoryData<string> Tasks => [.. s_tasks.Keys];

    /// <summary>Those whose token the framework watches. It does not watch that of <c>StartNew</c>.</summary>
    public static TheoryData<string> Watched =>
        [.. s_entries.Keys, .. s_tasks.Keys.Where(static call => !call.StartsWith("StartNew", StringComparison.Ordinal))];

    public static Task Call(this IWorkScheduler scheduler, string call, Action action, CancellationToken token) =>
        (s_entries.TryGetValue(call, out Func<IWorkScheduler, Action, CancellationToken, Task>? entry) ? entry : s_tasks[call])(scheduler, action, token);

    private static int Result(Action action)
    {
        action();
        return 1;
    }

    private static Task Completed(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
