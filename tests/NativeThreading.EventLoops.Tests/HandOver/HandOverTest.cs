using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.HandOver;

/// <summary>A loop that hands over, callbacks that block until the test releases them, and the certainty at the end that no callback threw
/// unexpectedly and that the loop ends.</summary>
public abstract class HandOverTest : IDisposable
{
    private readonly ConcurrentQueue<Exception> _unhandled = new();
    private readonly ManualResetEventSlim _go = new();
    private int _calls;
    private int _inside;
    private int _overlaps;

    protected HandOverTest(int maxBlockedThreads = 1_000, bool whenComputing = false, int? maxRescueThreads = null)
    {
        ComputeUntil(static () => true); // compiles it: a callback that compiles may block, and lose the loop for that
        Loop = new EventLoop(new EventLoopOptions
        {
            Name = "handover",
            HandsOverWhenBlocked = true,
            HandsOverWhenComputing = whenComputing,
            MaxBlockedThreads = maxBlockedThreads,
            MaxRescueThreads = maxRescueThreads,
            UnhandledException = exception =>
            {
                _unhandled.Enqueue(exception);
                return true;
            },
        });
    }

    protected EventLoop Loop { get; }

    /// <summary>Calls of a handler, by <see cref="BlockInCall"/> or <see cref="CountCall"/>, that have started.</summary>
    protected int Calls => Volatile.Read(ref _calls);

    /// <summary>Those of them that have not ended.</summary>
    protected int Inside => Volatile.Read(ref _inside);

    /// <summary>How often one started while another one ran.</summary>
    protected int Overlaps => Volatile.Read(ref _overlaps);

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _go.Set();
        Deadline.Wait(Loop.ShutdownAsync(CancellationToken.None));
        Assert.Empty(_unhandled);
        _go.Dispose();
    }

    /// <summary>Releases the blocked callbacks.</summary>
    protected void LetGo() => _go.Set();

    /// <summary>In a callback: blocks until <see cref="LetGo"/>.</summary>
    protected void Block() => Deadline.Wait(_go);

    /// <summary>In a callback: computes until then, without a wait that the monitor could take for blocking.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    protected static void ComputeUntil(Func<bool> condition)
    {
        for (long started = Stopwatch.GetTimestamp(); !condition();)
        {
            Thread.SpinWait(20);
            if (Stopwatch.GetElapsedTime(started) > Deadline.Time)
            {
                throw new TimeoutException("What the callback computes for has not come.");
            }
        }
    }

    /// <summary>A handler is called. Its number, from 1 on.</summary>
    protected int CountCall() => Interlocked.Increment(ref _calls);

    /// <summary>A handler is called, and blocks until <see cref="LetGo"/>.</summary>
    /// <param name="first">Before it blocks, with the number of the call.</param>
    protected void BlockInCall(Action<int>? first = null)
    {
        if (Interlocked.Increment(ref _inside) != 1)
        {
            Interlocked.Increment(ref _overlaps);
        }

        int call = CountCall();
        first?.Invoke(call);
        Block();
        Interlocked.Decrement(ref _inside);
    }

    /// <summary>Returns when the first call has started, and another thread runs callbacks.</summary>
    protected void AwaitCall()
    {
        Deadline.Until(() => Calls == 1);
        OnLoop(static () => { });
    }

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

    /// <summary>The next exception that no code on the loop handled. The test expects it.</summary>
    protected Exception NextUnhandled()
    {
        Deadline.Until(() => !_unhandled.IsEmpty, "an unhandled exception");
        return _unhandled.TryDequeue(out Exception? exception) ? exception : throw new InvalidOperationException();
    }
}
