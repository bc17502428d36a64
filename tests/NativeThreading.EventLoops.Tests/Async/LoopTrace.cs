using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Async;

/// <summary>Notes on which side of the loop's border an async method is.</summary>
internal sealed class LoopTrace(EventLoop loop, NativeThreadPool pool)
{
    public const string Here = "on the loop, in its context";
    public const string Elsewhere = "elsewhere";

    private readonly List<string> _places = [];

    public EventLoop Loop => loop;

    /// <summary>Another place to be.</summary>
    public NativeThreadPool Pool => pool;

    public IReadOnlyList<string> Places
    {
        get
        {
            lock (_places)
            {
                return [.. _places];
            }
        }
    }

    public void Note()
    {
        bool onLoop = loop.IsInLoop;
        bool inContext = SynchronizationContext.Current == loop.SynchronizationContext;
        lock (_places)
        {
            _places.Add(onLoop && inContext ? Here : onLoop || inContext ? "half left" : Elsewhere);
        }
    }

    /// <summary>Runs an action on a thread of its own once the loop runs nothing: its caller has reached its await by then.</summary>
    public void OnAForeignThread(Action action) => new Thread(() =>
    {
        loop.Call(() => { });
        action();
    }).Start();

    public Task CompletedOnAForeignThread(TaskCreationOptions options = TaskCreationOptions.None)
    {
        var source = new TaskCompletionSource(options);
        OnAForeignThread(source.SetResult);
        return source.Task;
    }

    public Task FailedOnAForeignThread()
    {
        var source = new TaskCompletionSource();
        OnAForeignThread(() => source.SetException(new InvalidOperationException()));
        return source.Task;
    }
}
