namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// The context of a call that is watched: what it awaits goes on where its code may run by then, on the pool or on the loop of its
/// connection, and each piece is judged. So a call that lasts, as that of a WebSocket, goes to the loop when its code is proven, and is
/// not watched there for long. Code that goes on in place does so on the runtime's pool, but never inside the call that completes an await:
/// that may hold a lock, as a semaphore's does.
/// </summary>
internal sealed class CallContext(LearnedUnit unit, SynchronizationContext loop, SynchronizationContext pool) : SynchronizationContext
{
    private static readonly SendOrPostCallback s_run = static callback => ((Callback)callback!).Run();

    // On a loop; from any thread. Whether the unit is watched says nothing here: the calls that it counts include the pieces of this one.
    private int _piecesLeft = Learning.PiecesPerLook;

    /// <summary>Of the connection.</summary>
    public SynchronizationContext Loop => loop;

    /// <summary>Of the pool.</summary>
    public SynchronizationContext Pool => pool;

    private LearnedUnit Unit => unit;

    private SynchronizationContext Target => unit.RunsOnLoops ? loop : pool;

    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (unit.RunsOnLoops && GoesOnHere())
        {
            ThreadPool.UnsafeQueueUserWorkItem(new Callback(this, d, state), preferLocal: true);
        }
        else if (unit.RunsOnLoops && !unit.IsWatchedClosely && Interlocked.Decrement(ref _piecesLeft) < 0)
        {
            loop.Post(d, state);
        }
        else
        {
            Target.Post(s_run, new Callback(this, d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) => Target.Send(d, state);

    public override SynchronizationContext CreateCopy() => this;

    /// <summary>Not what yields, which posts under its own context: it goes behind all others of its loop.</summary>
    private bool GoesOnHere()
    {
        bool hasCompletedHere = Current is (null or CallContext) and var current && current != this && Thread.CurrentThread.IsThreadPoolThread;
        unit.Resumes(hasCompletedHere && Pace.IsAlone(unit.GoesOnInPlace));
        return hasCompletedHere && unit.GoesOnInPlace;
    }

    private sealed class Callback(CallContext context, SendOrPostCallback d, object? state) : IThreadPoolWorkItem
    {
        /// <summary>On the runtime's pool, where an error would end the process. The loop has a handler.</summary>
        void IThreadPoolWorkItem.Execute()
        {
            try
            {
                Run();
            }
            catch (Exception exception)
            {
                LoopError.Throw(context.Loop, exception);
            }
        }

        public void Run()
        {
            SynchronizationContext? before = Current;
            SetSynchronizationContext(context);
            var piece = Piece.Begin(context.Unit.IsWatchedClosely);
            try
            {
                d(state);
            }
            finally
            {
                context.Unit.Judge(piece.End(out long held), held);
                SetSynchronizationContext(before);
            }
        }
    }
}
