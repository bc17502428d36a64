using System.Collections.Concurrent;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A loop that hands over, callbacks that block until the test lets them go, and the certainty at the end that nobody threw
/// unexpectedly and that the loop ends.</summary>
public abstract class HandOverTest : IDisposable
{
    private readonly ConcurrentQueue<Exception> _unhandled = new();
    private readonly ManualResetEventSlim _go = new();

    protected HandOverTest(int maxBlockedThreads = 1_000)
    {
        Loop = new EventLoop(new EventLoopOptions
        {
            Name = "handover",
            HandsOverWhenBlocked = true,
            MaxBlockedThreads = maxBlockedThreads,
            UnhandledException = exception =>
            {
                _unhandled.Enqueue(exception);
                return true;
            },
        });
    }

    protected EventLoop Loop { get; }

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _go.Set();
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Assert.Empty(_unhandled);
        _go.Dispose();
    }

    /// <summary>Lets the blocked callbacks go on.</summary>
    protected void LetGo() => _go.Set();

    /// <summary>In a callback: blocks until <see cref="LetGo"/>.</summary>
    protected void Block() => Deadline.Wait(_go);

    /// <summary>A callback that blocks; returns when another thread runs callbacks. The task ends with the callback.</summary>
    protected Task BlockTheLoop(Action? first = null, Action? last = null)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var blocks = new ManualResetEventSlim();
        Loop.Post(
            _ =>
            {
                first?.Invoke();
                blocks.Set();
                Block();
                try
                {
                    last?.Invoke();
                }
                catch (Exception exception)
                {
                    ended.SetException(exception);
                    throw;
                }

                ended.SetResult();
            },
            null);
        Deadline.Wait(blocks);
        OnLoop(static () => { });
        return ended.Task;
    }

    protected void OnLoop(Action action) => Deadline.Wait(Loop.InvokeAsync(action), "the action on the loop");

    protected T OnLoop<T>(Func<T> function) => Deadline.Result(Loop.InvokeAsync(function), "the function on the loop");

    /// <summary>The next exception that nobody on the loop handled. The test expects it.</summary>
    protected Exception NextUnhandled()
    {
        Deadline.Until(() => !_unhandled.IsEmpty, "an unhandled exception");
        return _unhandled.TryDequeue(out Exception? exception) ? exception : throw new InvalidOperationException();
    }
}
