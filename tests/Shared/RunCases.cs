namespace NativeThreading.Tests.Support;

/// <summary>The four forms of a call like <see cref="Task.Run(Action)"/>.</summary>
public sealed record RunCalls(
    Func<Action, CancellationToken, Task> Action,
    Func<Func<int>, CancellationToken, Task> Function,
    Func<Func<Task>, CancellationToken, Task> Operation,
    Func<Func<Task<int>>, CancellationToken, Task> ResultOperation);

/// <summary>
/// What functions may do before and after their first await, and what becomes of the task: with the framework's own call
/// that is the expectation, with any other one it is compared (T142).
/// </summary>
internal static class RunCases
{
    private static readonly RunCalls s_framework = new(Task.Run, Task.Run, Task.Run, Task.Run);

    private static readonly (string Name, Func<Tokens, int> Body)[] s_synchronous =
    [
        ("returns", static _ => 5),
        ("throws", static _ => throw new FormatException("thrown")),
        ("throws a cancellation", static _ => throw new OperationCanceledException("thrown")),
        ("throws a cancelled task's exception", static _ => throw new TaskCanceledException("thrown")),
        ("throws a cancellation of its own kind", static tokens => throw new OwnCancellation(tokens.Other)),
        ("throws a cancellation by another token", static tokens => throw new OperationCanceledException("thrown", tokens.Other)),
        ("throws a cancellation by its token, which is not cancelled", static tokens => throw new OperationCanceledException("thrown", tokens.Own)),
        ("throws a cancellation by its token", static tokens =>
        {
            tokens.Source.Cancel();
            throw new OperationCanceledException("thrown", tokens.Own);
        }),
        ("throws a cancellation by another token, its own cancelled too", static tokens =>
        {
            tokens.Source.Cancel();
            throw new OperationCanceledException("thrown", tokens.Other);
        }),
        ("throws an aggregate of a cancellation", static _ => throw new AggregateException("thrown", new OperationCanceledException())),
    ];

    private static readonly (string Name, Func<Tokens, Task<int>?> Body)[] s_tasks =
    [
        ("no task", static _ => null),
        ("a cancelled task", static tokens => Task.FromCanceled<int>(tokens.Other)),
        ("a task that failed with a cancellation", static _ => Task.FromException<int>(new OperationCanceledException("thrown"))),
        ("a task that failed twice", static _ => FailTwice()),
        ("a task that fails twice later", static _ => Later(FailTwice)),
        ("a task that fails with a cancellation later", static _ => Later(static () => Task.FromException<int>(new OperationCanceledException("thrown")))),
        ("a task that is cancelled later", static tokens => Later(() => Task.FromCanceled<int>(tokens.Other))),
        ("a task that completes later", static _ => Later(static () => Task.FromResult(5))),
    ];

    /// <summary>Every form of a call, with every case, with a token and without, ends as <see cref="Task.Run(Action)"/> does.</summary>
    /// <param name="calls">What is compared with the framework's call.</param>
    /// <param name="settle">Lets what was called run, where it does not by itself.</param>
    public static void AssertAsTaskRun(RunCalls calls, Action? settle = null)
    {
        foreach (bool withToken in new[] { false, true })
        {
            foreach ((string name, Func<RunCalls, Tokens, Task> call) in Calls(withToken))
            {
                string expected = Outcome(call, s_framework, null);
                Assert.Equal($"{name}: {expected}", $"{name}: {Outcome(call, calls, settle)}");
            }
        }
    }

    private static string Outcome(Func<RunCalls, Tokens, Task> call, RunCalls calls, Action? settle)
    {
        using var tokens = new Tokens();
        Task task = call(calls, tokens);
        settle?.Invoke();
        Assert.Equal(0, Task.WaitAny([task], Deadline.Time));
        return $"{task.Status}, throws {Thrown(task, tokens)}, has {Kept(task)}";
    }

    private static IEnumerable<(string Name, Func<RunCalls, Tokens, Task> Call)> Calls(bool withToken)
    {
        string suffix = withToken ? ", with a token" : "";
        CancellationToken TokenOf(Tokens tokens) => withToken ? tokens.Own : default;
        foreach ((string name, Func<Tokens, int> body) in s_synchronous)
        {
            yield return ($"action {name}{suffix}", (calls, tokens) => calls.Action(() => _ = body(tokens), TokenOf(tokens)));
            yield return ($"function {name}{suffix}", (calls, tokens) => calls.Function(() => body(tokens), TokenOf(tokens)));
            foreach ((string when, Func<Tokens, Task<int>?> operation) in new (string, Func<Tokens, Task<int>?>)[]
            {
                ("at once", tokens => Task.FromResult(body(tokens))),
                ("before an await", async tokens =>
                {
                    int result = body(tokens);
                    await Task.Yield();
                    return result;
                }),
                ("after an await", async tokens =>
                {
                    await Task.Yield();
                    return body(tokens);
                }),
            })
            {
                yield return ($"operation {name} {when}{suffix}", (calls, tokens) => calls.Operation(() => operation(tokens)!, TokenOf(tokens)));
                yield return ($"operation with a result {name} {when}{suffix}", (calls, tokens) => calls.ResultOperation(() => operation(tokens)!, TokenOf(tokens)));
            }
        }

        foreach ((string name, Func<Tokens, Task<int>?> body) in s_tasks)
        {
            yield return ($"operation returns {name}{suffix}", (calls, tokens) => calls.Operation(() => body(tokens)!, TokenOf(tokens)));
            yield return ($"operation with a result returns {name}{suffix}", (calls, tokens) => calls.ResultOperation(() => body(tokens)!, TokenOf(tokens)));
        }
    }

    private static string Thrown(Task task, Tokens tokens)
    {
        try
        {
            task.GetAwaiter().GetResult();
            return "nothing";
        }
        catch (OperationCanceledException exception)
        {
            return $"{exception.GetType().Name} '{exception.Message}' by {tokens.NameOf(exception.CancellationToken)} token";
        }
        catch (Exception exception)
        {
            return $"{exception.GetType().Name} '{exception.Message}'";
        }
    }

    private static string Kept(Task task) =>
        task.Exception is { } exception ? string.Join(", ", exception.InnerExceptions.Select(inner => $"{inner.GetType().Name} '{inner.Message}'")) : "none";

    private static Task<int> FailTwice()
    {
        var failed = new TaskCompletionSource<int>();
        failed.SetException([new FormatException("first"), new FormatException("second")]);
        return failed.Task;
    }

    /// <summary>Completes when its caller has most likely returned.</summary>
    private static Task<int> Later(Func<Task<int>> end)
    {
        var later = new TaskCompletionSource<int>();
        Task.Delay(1).ContinueWith(_ => later.SetFromTask(end()), TaskScheduler.Default);
        return later.Task;
    }

    internal sealed class Tokens : IDisposable
    {
        public CancellationTokenSource Source { get; } = new();

        public CancellationToken Own => Source.Token;

        public CancellationToken Other { get; } = new(canceled: true);

        public string NameOf(CancellationToken token) =>
            token == Own ? "its own" : token == Other ? "the other" : token == default ? "no" : "an unknown";

        public void Dispose() => Source.Dispose();
    }

    private sealed class OwnCancellation(CancellationToken token) : OperationCanceledException("thrown", token);
}
