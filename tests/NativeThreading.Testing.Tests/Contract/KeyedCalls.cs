namespace NativeThreading.Testing.Tests.Contract;

/// <summary>Every call that runs a function in a turn and returns a task, by name: of a key "a", and of a sequencer.</summary>
public sealed class KeyedCalls
{
    private readonly Dictionary<string, Func<Action, CancellationToken, Task>> _calls;

    public KeyedCalls(IWorkScheduler scheduler, int? limit = null)
    {
        Queue = new KeyedQueue<string>(scheduler, limitPerKey: limit);
        Sequencer = new Sequencer(scheduler, limit);
        _calls = new()
        {
            ["KeyedQueue.Run(Action)"] = (action, token) => Queue.Run("a", action, token),
            ["KeyedQueue.Run(Func)"] = (action, token) => Queue.Run("a", () => Result(action), token),
            ["KeyedQueue.Run(async)"] = (action, token) => Queue.Run("a", () => Completed(action), token),
            ["KeyedQueue.Run(async with a result)"] = (action, token) => Queue.Run("a", () => Task.FromResult(Result(action)), token),
            ["KeyedQueue.RunAsync(Action)"] = (action, token) => Queue.RunAsync("a", action, token),
            ["KeyedQueue.RunAsync(Func)"] = (action, token) => Queue.RunAsync("a", () => Result(action), token),
            ["KeyedQueue.RunAsync(async)"] = (action, token) => Queue.RunAsync("a", () => Completed(action), token),
            ["KeyedQueue.RunAsync(async with a result)"] = (action, token) => Queue.RunAsync("a", () => Task.FromResult(Result(action)), token),
            ["Sequencer.Run(Action)"] = (action, token) => Sequencer.Run(action, token),
            ["Sequencer.Run(Func)"] = (action, token) => Sequencer.Run(() => Result(action), token),
            ["Sequencer.Run(async)"] = (action, token) => Sequencer.Run(() => Completed(action), token),
            ["Sequencer.Run(async with a result)"] = (action, token) => Sequencer.Run(() => Task.FromResult(Result(action)), token),
            ["Sequencer.RunAsync(Action)"] = (action, token) => Sequencer.RunAsync(action, token),
            ["Sequencer.RunAsync(Func)"] = (action, token) => Sequencer.RunAsync(() => Result(action), token),
            ["Sequencer.RunAsync(async)"] = (action, token) => Sequencer.RunAsync(() => Completed(action), token),
            ["Sequencer.RunAsync(async with a result)"] = (action, token) => Sequencer.RunAsync(() => Task.FromResult(Result(action)), token),
        };
    }

    public static TheoryData<string> Names => [.. new KeyedCalls(new ManualThreadPool())._calls.Keys];

    public KeyedQueue<string> Queue { get; }

    public Sequencer Sequencer { get; }

    public Task Call(string name, Action action) => _calls[name](action, CancellationToken.None);

    public Task CallWith(string name, Action action, CancellationToken token) => _calls[name](action, token);

    /// <summary>Runs an async function on the same line.</summary>
    public Task Await(string name, Func<Task> function) => name.StartsWith("Keyed", StringComparison.Ordinal)
        ? Queue.Run("a", function, CancellationToken.None)
        : Sequencer.Run(function, CancellationToken.None);

    /// <summary>What <c>Queue</c> does on the same line.</summary>
    public void Post(string name, Action action)
    {
        if (name.StartsWith("Keyed", StringComparison.Ordinal))
        {
            Queue.Queue("a", static action => action(), action);
        }
        else
        {
            Sequencer.Queue(static action => action(), action);
        }
    }

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
