using System.Threading.Tasks.Sources;
using NativeThreading.Queues;
using NativeThreading.Scheduling;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>Which items of the injector queue continue work that has started. Only those may run on a rescue thread.</summary>
public sealed class ContinuingItemTests : IDisposable
{
    private readonly NativeThreadPool _pool = Pools.WithThreads(1, "continuing");
    private readonly ManualResetEventSlim _release = new();
    private readonly ManualResetEventSlim _blocked = new();

    public ContinuingItemTests()
    {
        _pool.UnsafeQueueUserWorkItem(
            _ =>
            {
                _blocked.Set();
                _release.Wait(Deadline.Time);
            },
            null);
        Deadline.Wait(_blocked);
    }

    public static TheoryData<string, bool> Kinds => new()
    {
        { "raw", false },
        { "raw with a context", false },
        { "value", false },
        { "task", false },
        { "task with a result", false },
        { "task with a state", false },
        { "operation", false },
        { "operation with a token", false },
        { "switch", false },
        { "group", false },
        { "post of an action", true },
        { "post of another state", true },
        { "continuation call", true },
        { "continuation call with a value", true },
        { "await in a task", true },
        { "await of a source in a task", true },
        { "continue with", true },
        { "continue with a result", true },
    };

    public void Dispose()
    {
        _release.Set();
        Deadline.Wait(_pool.ShutdownAsync(CancellationToken.None));
        _release.Dispose();
        _blocked.Dispose();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Item_FromOutside_BeginsOrContinuesWork(string kind, bool continues)
    {
        Queue(kind);
        Deadline.Until(() => _pool.Probe.ItemsFromOutside.Length == 1);
        AssertAll(continues);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Item_ThatIsWatched_IsTheSame(string kind, bool continues)
    {
        using var observer = new NativeThreading.Diagnostics.ThreadObserver();
        Item_FromOutside_BeginsOrContinuesWork(kind, continues);
    }

    private void AssertAll(bool continues)
    {
        WorkItem item = _pool.Probe.ItemsFromOutside[0];
        Assert.Equal(continues, ContinuingItem.Is(in item, _pool.Scheduler));
        Assert.Equal(continues, _pool.Probe.FindsContinuing());
    }

    private void Queue(string kind)
    {
        var source = new TaskCompletionSource<int>();
        var results = new Source();
        switch (kind)
        {
            case "raw":
                _pool.UnsafeQueueUserWorkItem(static _ => { }, null);
                break;
            case "raw with a context":
                new AsyncLocal<int>().Value = 1;
                _pool.QueueUserWorkItem(static _ => { }, null);
                break;
            case "value":
                _pool.UnsafeQueueUserWorkItem(static _ => { }, 1, preferLocal: true);
                break;
            case "task":
                _pool.Run(static () => { });
                break;
            case "task with a result":
                _pool.Run(static () => 1);
                break;
            case "task with a state":
                _pool.Factory.StartNew(static _ => { }, "state");
                break;
            case "operation":
                _pool.Run(static () => Task.CompletedTask);
                break;
            case "operation with a token":
                _pool.Run(static () => Task.FromResult(1), new CancellationTokenSource().Token);
                break;
            case "switch":
                SwitchAsync();
                break;
            case "group":
                new WorkGroup(_pool).Queue(static _ => { }, "state");
                break;
            case "post of an action":
                _pool.Probe.OperationContext.Post(static action => ((Action)action!)(), static () => { });
                break;
            case "post of another state":
                _pool.Probe.OperationContext.Post(static _ => { }, "state");
                break;
            case "continuation call":
                _pool.UnsafeQueueContinuation(static _ => { }, "state", preferLocal: true);
                break;
            case "continuation call with a value":
                _pool.UnsafeQueueContinuation(static _ => { }, 1, preferLocal: true);
                break;
            case "await in a task":
                InATask(() => AwaitAsync(new ValueTask<int>(source.Task)));
                source.SetResult(1);
                break;
            case "await of a source in a task":
                InATask(() => AwaitAsync(new ValueTask<int>(results, results.Version)));
                results.Complete();
                break;
            case "continue with":
                source.Task.ContinueWith(static _ => { }, _pool.Scheduler);
                source.SetResult(1);
                break;
            default:
                source.Task.ContinueWith(static task => task.Result, _pool.Scheduler);
                source.SetResult(1);
                break;
        }

        async void SwitchAsync() => await _pool.SwitchTo();

        static async Task AwaitAsync(ValueTask<int> task) => await task;
    }

    /// <summary>Begins an async method as a task of the scheduler, on this thread.</summary>
    private void InATask(Func<Task> method)
    {
        var task = new Task(() => method());
        _pool.Scheduler.RunHere(task);
    }

    private sealed class Source : IValueTaskSource<int>
    {
        private ManualResetValueTaskSourceCore<int> _core;

        public short Version => _core.Version;

        public void Complete() => _core.SetResult(1);

        public int GetResult(short token) => _core.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
    }
}
