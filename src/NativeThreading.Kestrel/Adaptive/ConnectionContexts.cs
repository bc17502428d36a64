using System.Runtime.ExceptionServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>A context of code that belongs to a connection of a loop and may run on another thread.</summary>
internal abstract class LoopBoundContext(SynchronizationContext loop) : SynchronizationContext
{
    private static readonly SendOrPostCallback s_throw = static error => ((ExceptionDispatchInfo)error!).Throw();

    public SynchronizationContext Loop => loop;

    public sealed override SynchronizationContext CreateCopy() => this;

    /// <summary>Passes an exception to the loop, which has a handler. On the built-in pool it would end the process.</summary>
    protected void ThrowOnLoop(Exception exception) => loop.Post(s_throw, ExceptionDispatchInfo.Capture(exception));
}

/// <summary>The context of a watched call. Each await resumes where the code may run by then, on the pool or on the loop, and each segment is judged.
/// So a call that lasts, as that of a WebSocket, moves to the loop when its code is proven, and is not watched there for long. Code that continues in
/// place does so on the built-in pool, but never inside the call that completes an await: that call may hold a lock, as a semaphore does.</summary>
internal sealed class CallContext(EndpointProfile profile, SynchronizationContext loop, SynchronizationContext pool) : LoopBoundContext(loop)
{
    private static readonly SendOrPostCallback s_run = static callback => ((Callback)callback!).Run();

    // On a loop; from any thread. IsWatched does not tell: the calls that the profile counts include the segments of this one.
    private int _segmentsLeft = Learning.SegmentsPerLook;

    public SynchronizationContext Pool => pool;

    private EndpointProfile Profile => profile;

    private SynchronizationContext Target => profile.RunsOnLoops ? Loop : pool;

    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (profile.RunsOnLoops && ContinuesHere())
        {
            ThreadPool.UnsafeQueueUserWorkItem(new Callback(this, d, state), preferLocal: true);
        }
        else if (profile.RunsOnLoops && !profile.IsWatchedClosely && Interlocked.Decrement(ref _segmentsLeft) < 0)
        {
            Loop.Post(d, state);
        }
        else
        {
            Target.Post(s_run, new Callback(this, d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) => Target.Send(d, state);

    /// <summary>False for Task.Yield, which posts under its own context: that continuation runs after all others of its loop.</summary>
    private bool ContinuesHere()
    {
        bool hasCompletedHere = Current is (null or CallContext) and var current && current != this && Thread.CurrentThread.IsThreadPoolThread;
        profile.Resumes(hasCompletedHere && RuntimePoolStart.IsAlone(profile.ContinuesInPlace));
        return hasCompletedHere && profile.ContinuesInPlace;
    }

    private sealed class Callback(CallContext context, SendOrPostCallback d, object? state) : IThreadPoolWorkItem
    {
        void IThreadPoolWorkItem.Execute()
        {
            try
            {
                Run();
            }
            catch (Exception exception)
            {
                context.ThrowOnLoop(exception);
            }
        }

        public void Run()
        {
            SynchronizationContext? before = Current;
            SetSynchronizationContext(context);
            var segment = TimedSegment.Begin(context.Profile.IsWatchedClosely);
            try
            {
                d(state);
            }
            finally
            {
                context.Profile.Judge(segment.End(out long held), held);
                SetSynchronizationContext(before);
            }
        }
    }
}

/// <summary>A request of a loop's connection that starts on the built-in pool. Kestrel's code runs under this context until the application is
/// called, which learns from it the loop of the connection. What Kestrel awaits there continues on that pool.</summary>
internal sealed class RuntimePoolStart(SynchronizationContext loop, SaturatingCounter ends, Action<object?> action, object? state)
    : LoopBoundContext(loop), IThreadPoolWorkItem
{
    // Waiting items of the built-in pool. Timers that are due together leave dozens, sockets a few.
    private const int Few = 12, FewOfAll = 48;

    [ThreadStatic]
    private static RuntimePoolStart? t_current;

    private SaturatingCounter Ends => ends;

    public static void Queue(SynchronizationContext loop, SaturatingCounter ends, Action<object?> action, object? state) =>
        ThreadPool.UnsafeQueueUserWorkItem(new RuntimePoolStart(loop, ends, action, state), preferLocal: false);

    /// <summary>Whether completions on the built-in pool are single, as from a database. Its threads then search for work in between, which costs
    /// more than the work, so they get all of it. Completions in a row, as from timers that are due together, give that pool enough work, and a loop
    /// does the rest for less. Reads the queue of each of its threads.</summary>
    /// <param name="hasAll">Whether that pool already gets all of the work.</param>
    public static bool IsAlone(bool hasAll) => ThreadPool.PendingWorkItemCount <= (hasAll ? FewOfAll : Few);

    /// <summary>The request that starts here, if one does, must run elsewhere. The next ones of its connection start on the loop.</summary>
    public static void Refuse() => t_current?.Ends.Reset(Learning.EndsAfterRefusal);

    public override void Post(SendOrPostCallback d, object? state) => Queue(Loop, ends, new Action<object?>(d), state);

    void IThreadPoolWorkItem.Execute()
    {
        SetSynchronizationContext(this);
        t_current = this;
        try
        {
            action(state);
        }
        catch (Exception exception)
        {
            ThrowOnLoop(exception);
        }
        finally
        {
            t_current = null;
            SetSynchronizationContext(null);
        }
    }
}

/// <summary>The context in which Kestrel awaits the application: the rest of the request, which ends its response and waits for the next request,
/// runs where the application has completed, if that is the loop, a thread without a context, or a thread of the built-in pool. A return to the loop
/// would cost a wake-up, and send the response in two parts.</summary>
internal sealed class EndOfRequest(SynchronizationContext loop) : LoopBoundContext(loop)
{
    [ThreadStatic]
    private static bool t_isHere;

    [ThreadStatic]
    private static EndOfRequest? t_last;

    /// <summary>Whether the caller runs in the rest of a request.</summary>
    public static bool IsHere => t_isHere;

    /// <summary>Called before Kestrel awaits the application, on the loop or where the request has started. Both reset the context afterwards.</summary>
    public static void Await(SynchronizationContext loop)
    {
        if (t_last is not { } end || end.Loop != loop)
        {
            t_last = end = new EndOfRequest(loop);
        }

        SetSynchronizationContext(end);
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        (SynchronizationContext? before, bool wasHere) = (Current, t_isHere);
        bool isOnLoop = EventLoop.Current?.SynchronizationContext == Loop;
        if (before is not null && !isOnLoop && !(before is CallContext && Thread.CurrentThread.IsThreadPoolThread))
        {
            Loop.Post(d, state); // a thread with a context of other code
            return;
        }

        SetSynchronizationContext(isOnLoop ? Loop : null);
        t_isHere = true;
        try
        {
            d(state);
        }
        finally
        {
            t_isHere = wasHere;
            SetSynchronizationContext(before);
        }
    }
}
