using System.Runtime.CompilerServices;
using NativeThreading.Diagnostics;
using NativeThreading.EventLoops;
using NativeThreading.Interop;
using NativeThreading.Queues;
using NativeThreading.Threads;

namespace NativeThreading;

/// <summary>The loop's thread from its first instruction to its last.</summary>
public sealed partial class EventLoop
{
    private readonly EventBatch _events = new();
    private Thread? _thread; // also set by the thread itself, which may be faster
    private ExecutionContext? _defaultContext;
    private bool _failed;
    private bool _timerDueAtOnce;

    /// <summary>
    /// A timer was armed. If it is due already, the next poll only looks, so the loop need not announce a sleep.
    /// </summary>
    internal void ExpectTimer(long deadline) => _timerDueAtOnce |= deadline == LoopClock.AtOnce;

    private void StartThread() => _thread = ThreadStarter.Start(Main, Name, _options.MaxStackSize);

    private void Main()
    {
        t_current = this;
        _thread = Thread.CurrentThread;
        SynchronizationContext.SetSynchronizationContext(SynchronizationContext);
        _defaultContext = ExecutionContext.Capture()!;
        DefaultContext.Publish(_defaultContext);
        ApplyPriority();

        bool ended = false;
        try
        {
            RunGuarded();
            ended = true;
        }
        finally
        {
            // The runtime's handler of unhandled exceptions may let the process live. Then this thread ends, but its loop must
            // not: timers and completions would stop silently (T132).
            t_current = null;
            if (ended || !TryContinueOnNewThread())
            {
                Close();
            }
        }
    }

    private void RunGuarded()
    {
        while (true)
        {
            try
            {
                RunTurns();
                return;
            }
            catch (Exception exception) when (!_failed && _options.UnhandledException?.Invoke(exception) == true)
            {
                ResetContext(); // the callback has ended; its batch or queue goes on behind it
            }
            catch (ObjectDisposedException exception) when (IsStopped && exception.ObjectName == ToString())
            {
                return; // a token stopped the loop, and its last callback was refused: no reason to end the process
            }
        }
    }

    // Its callees are not inlined: this method is entered once and never recompiled, and they are.
    private void RunTurns()
    {
        while (!IsStopped)
        {
            Dispatch();
            RunPosted();
            Chaos.Point("EventLoop.RunTurns, posted ones run");
            if (IsDraining && TryFinishDraining())
            {
                return;
            }

            Poll();
        }
    }

    /// <summary>
    /// Fires timers and calls handlers, in the order of the batch. Goes on behind an event whose callback threw.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Dispatch()
    {
        while (_events.TryTake(out NativeEvent taken))
        {
            if (taken.Kind == NativeEventKind.Timer)
            {
                Targets.Get<EventLoopTimer>(taken.Token).Fire();
            }
            else
            {
                Targets.Get<EventLoopRegistration>(taken.Token).Tell((EventLoopReadiness)taken.Flags);
            }

            ResetContext();
            if (IsStopped)
            {
                return;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunPosted()
    {
        ResetThread(); // once for the whole batch: after each timer it would cost measurably
        WorkItem item = default;
        for (int i = 0; i < LoopTuning.CallbacksPerTurn && !IsStopped && !_posted.IsEmpty && _posted.TryTake(ref item); i++)
        {
            if (item.Context is ExecutionContext context)
            {
                ExecutionContext.Restore(context);
            }

            item.Callback!(item.State);
            ResetContext();
            ResetThread();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Poll()
    {
        bool sleeps = !_timerDueAtOnce && TryBecomeInattentive();
        _timerDueAtOnce = false;
        Chaos.Point("EventLoop.Poll");
        int result = _events.Poll(_native.Pointer, sleeps ? -1 : 0, Mechanisms.LoopLingers && OutstandingOffloads > 0 ? EventLoopHandle.Outstanding : 0);
        Chaos.Point("EventLoop.Poll, awake");
        Volatile.Write(ref _attentive.Value, 1);
        if (result < 0)
        {
            _failed = true; // no handler is asked, because none can repair this
            NativeCore.Check(result, nameof(NativeMethods.nth_event_loop_poll));
        }
    }

    /// <summary>
    /// Resets the contexts for the next callback: those of a fresh thread, with the loop's own SynchronizationContext (T34).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ResetContext()
    {
        if (ExecutionContext.Capture() != _defaultContext || SynchronizationContext.Current != SynchronizationContext)
        {
            SetContext();
        }

    }

    /// <summary>Undoes what a callback did to the name, priority or background flag of its thread (T35).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ResetThread()
    {
        Thread thread = _thread!;
        if (!ReferenceEquals(thread.Name, Name) || thread.Priority != ThreadPriority.Normal || !thread.IsBackground)
        {
            ThreadStarter.Reset(thread, Name);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SetContext()
    {
        ExecutionContext.Restore(_defaultContext!);
        SynchronizationContext.SetSynchronizationContext(SynchronizationContext);
    }

    private bool TryContinueOnNewThread()
    {
        if (_failed || IsStopped)
        {
            return false;
        }

        try
        {
            StartThread();
            NativeThreadingEventSource.Log.LoopThreadEnded(Name);
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            NativeThreadingEventSource.Log.LoopEnded(Name, exception.Message);
            return false;
        }
    }

    private void ApplyPriority()
    {
        (int nice, int result) = ThreadNice.Apply(_options.ThreadPriority);
        if (result < 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(Name, nice, -result);
        }
    }
}
