namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// The context of a call that is watched: what it awaits goes on where its code may run by then, on the pool or on the loop of its
/// connection, and each piece is judged. So a call that lasts, as that of a WebSocket, goes to the loop when its code is proven, and is
/// not watched there for long.
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
        if (unit.RunsOnLoops && !unit.IsWatchedClosely && Interlocked.Decrement(ref _piecesLeft) < 0)
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

    private sealed class Callback(CallContext context, SendOrPostCallback d, object? state)
    {
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
                context.Unit.Judge(piece.End());
                SetSynchronizationContext(before);
            }
        }
    }
}
