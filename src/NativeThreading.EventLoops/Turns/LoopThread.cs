using System.Runtime.CompilerServices;
using NativeThreading.Platform;
using NativeThreading.Queues;
using NativeThreading.Starvation;
using NativeThreading.Tracing;

namespace NativeThreading.EventLoops.Turns;

/// <summary>A loop's thread from its first instruction to its last: it runs turn after turn, and then closes the loop.</summary>
internal sealed class LoopThread(EventLoop loop, EventLoopOptions options)
{
    [ThreadStatic]
    private static EventLoop? t_loop;

    private readonly EventBatch _events = new();
    private Thread? _thread; // also set by the thread itself, which may be faster
    private ExecutionContext? _defaultContext;
    private bool _failed;
    private bool _timerDueAtOnce;

    public static EventLoop? CurrentLoop => t_loop;

    /// <summary>The current thread: after an exception, or if a callback blocks, another thread may take over the loop.</summary>
    public Thread? Thread => Volatile.Read(ref _thread);

    /// <summary>Starts the thread. Throws if no thread can be started.</summary>
    public void Start() => Interlocked.CompareExchange(ref _thread, ThreadLaunch.Start(() => Main(0), options.Name, options.MaxStackSize), null);

    /// <summary>Starts a thread that takes over from the callback with that number, if it still runs. Throws if no thread can be started.</summary>
    public void StartDriver(long number) => ThreadLaunch.Start(() => Main(number), options.Name, options.MaxStackSize);

    /// <summary>Waits until the loop has stopped. A join wakes the caller once; a wait for the task and then a join would wake it twice. Each join is
    /// bounded: another thread may take over the loop, and after a stop by token a callback may never end.</summary>
    public void JoinUntil(Task stopped)
    {
        while (!stopped.IsCompleted)
        {
            Thread!.Join(LoopTuning.JoinStep);
        }
    }

    /// <summary>A timer was armed. If it is due already, the next poll does not sleep, so the loop need not announce a sleep.</summary>
    public void ExpectTimer(long deadline) => _timerDueAtOnce |= deadline == LoopClock.AtOnce;

    private void Main(long takesOver)
    {
        LoopDriver? driver = loop.HandOver?.TryDrive(takesOver);
        if (driver is null && loop.HandOver is { } handOver)
        {
            handOver.FormerEnded(); // the callback has ended meanwhile
            return;
        }

        t_loop = loop;
        Volatile.Write(ref _thread, Thread.CurrentThread);
        SynchronizationContext.SetSynchronizationContext(loop.SynchronizationContext);
        _defaultContext = ExecutionContext.Capture()!;
        DefaultContext.Publish(_defaultContext);
        ApplyPriority();

        bool ended = false;
        try
        {
            RunGuarded(driver);
            ended = true;
        }
        finally
        {
            // The runtime's handler of unhandled exceptions may let the process live. Then this thread ends, but its loop must
            // not: timers and completions would stop silently (T132).
            // A former driver leaves the loop to its current driver.
            t_loop = null;
            if (driver is not null && !driver.EndCall())
            {
                loop.HandOver!.FormerEnded();
            }
            else if (ended || !TryContinueOnNewThread())
            {
                loop.Lifecycle.Close();
            }

            LoopDriver.Leave();
        }
    }

    private void RunGuarded(LoopDriver? driver)
    {
        while (true)
        {
            try
            {
                RunTurns(driver);
                return;
            }
            catch (Exception exception) when (!_failed && options.UnhandledException?.Invoke(exception) == true)
            {
                if (driver is not null && !driver.EndCall())
                {
                    return;
                }

                ResetContext(); // the callback has returned; its batch or queue continues after it
            }
            catch (ObjectDisposedException exception) when (loop.IsStopped && exception.ObjectName == loop.ToString())
            {
                return; // a token stopped the loop, and the loop rejected its last callback: no reason to end the process
            }
        }
    }

    // Its callees are not inlined: this method is entered once and never recompiled, and they are.
    private void RunTurns(LoopDriver? driver)
    {
        while (!loop.IsStopped)
        {
            Dispatch(driver);
            RunDeferred(driver);
            RunPosted(driver);
            if (driver is { IsRelieved: true })
            {
                return; // the steps above do nothing in that case
            }

            Chaos.Point("LoopThread.RunTurns, posted ones run");
            if (loop.IsDraining && loop.Lifecycle.TryFinishDraining())
            {
                return;
            }

            Poll();
        }
    }

    /// <summary>Fires timers and calls handlers, in the order of the batch. Continues after an event whose callback threw.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Dispatch(LoopDriver? driver)
    {
        while (_events.TryTake(out NativeEvent taken))
        {
            bool drives = true;
            if (taken.Kind == NativeEventKind.Timer)
            {
                drives = loop.Targets.Get<EventLoopTimer>(taken.Token).Fire(driver);
            }
            else if (driver is null)
            {
                loop.Targets.Get<EventLoopRegistration>(taken.Token).Tell((EventLoopReadiness)taken.Flags);
            }
            else
            {
                drives = loop.Targets.Get<EventLoopRegistration>(taken.Token).TellAs(driver, (EventLoopReadiness)taken.Flags);
            }

            if (!drives)
            {
                return;
            }

            ResetContext();
            if (loop.IsStopped)
            {
                return;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunPosted(LoopDriver? driver)
    {
        if (driver is { IsRelieved: true })
        {
            return;
        }

        ResetThread(); // once for the whole batch: after each timer it would cost measurably
        InjectorShard posted = loop.Queue.Callbacks;
        WorkItem item = default;
        for (int i = 0; i < LoopTuning.CallbacksPerTurn && !loop.IsStopped && !posted.IsEmpty && posted.TryTake(ref item); i++)
        {
            if (!Run(ref item, driver))
            {
                return;
            }
        }
    }

    /// <summary>Runs the callbacks that waited for a poll, after the events of that poll.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunDeferred(LoopDriver? driver)
    {
        WorkItem item = default;
        while (driver is not { IsRelieved: true } && !loop.IsStopped && loop.Deferred.TryTakeDue(ref item))
        {
            Run(ref item, driver);
        }
    }

    /// <summary><see langword="false"/>: another thread drives the loop now.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Run(ref WorkItem item, LoopDriver? driver)
    {
        driver?.BeginCall(target: null);
        if (item.Context is ExecutionContext context)
        {
            ExecutionContext.Restore(context);
        }

        item.Callback!(item.State);
        if (driver is not null && !driver.EndCall())
        {
            return false;
        }

        ResetContext();
        ResetThread();
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Poll()
    {
        bool defers = loop.Deferred.Count != 0; // the deferred callbacks must run after all other work of the poll
        bool sleeps = !_timerDueAtOnce && !defers && loop.Queue.TryBecomeInattentive();
        _timerDueAtOnce = false;
        Chaos.Point("LoopThread.Poll");
        uint flags = CoreLoop.Linger | (defers ? CoreLoop.Look : 0);
        loop.Turns.End();
        if (sleeps)
        {
            loop.HandOver?.EndTurns();
        }

        int result = _events.Poll(loop.Native, sleeps ? -1 : 0, flags);
        Chaos.Point("LoopThread.Poll, awake");
        if (sleeps)
        {
            loop.HandOver?.BeginTurns();
        }

        loop.Turns.Begin(Observation.IsActive || loop.Metrics.WantsTurns); // checked after the sleep: the turn that the wake-up starts is timed, too
        loop.Queue.BecomeAttentive();
        loop.Deferred.BecomeDue();
        if (result < 0)
        {
            _failed = true; // no handler is called, because none can repair this
            NativeCore.Check(result, nameof(NativeMethods.nth_event_loop_poll));
        }
    }

    /// <summary>Resets the contexts for the next callback: those of a new thread, with the loop's SynchronizationContext (T34).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ResetContext()
    {
        if (ExecutionContext.Capture() != _defaultContext || SynchronizationContext.Current != loop.SynchronizationContext)
        {
            SetContext();
        }
    }

    /// <summary>Undoes changes of a callback to the name, priority or background flag of its thread (T35).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ResetThread()
    {
        Thread thread = _thread!;
        if (!ReferenceEquals(thread.Name, loop.Name) || thread.Priority != ThreadPriority.Normal || !thread.IsBackground)
        {
            ThreadStarter.Reset(thread, loop.Name);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SetContext()
    {
        ExecutionContext.Restore(_defaultContext!);
        SynchronizationContext.SetSynchronizationContext(loop.SynchronizationContext);
    }

    private bool TryContinueOnNewThread()
    {
        if (_failed || loop.IsStopped)
        {
            return false;
        }

        try
        {
            Start();
            NativeThreadingEventSource.Log.LoopThreadEnded(loop.Name);
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            NativeThreadingEventSource.Log.LoopEnded(loop.Name, exception.Message);
            return false;
        }
    }

    private void ApplyPriority()
    {
        (int nice, int result) = ThreadNice.Apply(options.ThreadPriority);
        if (result < 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(loop.Name, nice, -result);
        }
    }
}
