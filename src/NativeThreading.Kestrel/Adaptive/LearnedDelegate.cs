using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore;
using NativeThreading.Diagnostics;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// Runs code of the application where it is known to do no harm. On the loop, for code that is proven short, this costs two looks at
/// the clock. What runs on no loop, as HTTP/2 and what is on a pool of the application's, goes on as it is.
/// </summary>
internal sealed class LearnedDelegate(AdaptiveRequests requests, LearnedUnit unit, RequestDelegate next, bool isOutermost = false)
{
    public Task InvokeAsync(HttpContext context)
    {
        SynchronizationContext? here = SynchronizationContext.Current;
        return here switch
        {
            null => next(context),
            CallContext around => RunInside(context, around),
            RuntimePoolStart start => Begin(context, start.Loop, begins: true),
            _ when here.GetType() == requests.LoopContext => Begin(context, here, begins: false),
            _ => next(context),
        };
    }

    /// <summary>On the loop, or where a request of its connection begins on the runtime's pool.</summary>
    private Task Begin(HttpContext context, SynchronizationContext loop, bool begins)
    {
        bool isOnLoop = EventLoop.Current is not null;
        Task task = !unit.RunsOnLoops ? SendToPoolAsync(context, loop)
            : isOnLoop || begins ? RunProven(context, loop, isOnLoop)
            : next(context); // a thread whose loop was taken over holds up nobody: nothing is to be learned there
        if (isOutermost && !task.IsCompleted)
        {
            EndOfRequest.Await(loop);
        }

        return task;
    }

    /// <summary>
    /// Code that goes on in place has no context, as with Kestrel's sockets. Middleware has one all the same: endpoints that it calls on the
    /// runtime's pool would not be known for such of a loop.
    /// </summary>
    private Task RunProven(HttpContext context, SynchronizationContext loop, bool isOnLoop) =>
        (isOnLoop ? unit.IsWatched : unit.IsWatchedOffLoops) ? Watch(context, NewCall(loop))
        : isOutermost && (unit.GoesOnInPlace || !isOnLoop) ? Run(context, NewCall(loop), isOnLoop)
        : Run(context, unit.GoesOnInPlace ? null : loop, isOnLoop);

    private CallContext NewCall(SynchronizationContext loop) => new(unit, loop, requests.PoolContext ?? loop);

    /// <summary>The way of most requests of code that is proven. Allocates nothing.</summary>
    private Task Run(HttpContext context, SynchronizationContext? under, bool isOnLoop)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        if (under != before)
        {
            SynchronizationContext.SetSynchronizationContext(under);
        }

        var tally = Tally.Current;
        (long nested, long nestedProcessor) = (tally.Wall, tally.Processor);
        long begun = tally.Begin();
        try
        {
            Task task = next(context);
            unit.Called(task.IsCompleted);
            return task;
        }
        finally
        {
            if (under != before)
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }

            long wall = Stopwatch.GetTimestamp() - begun - (tally.Wall - nested);
            long computed = wall < Learning.Short || !isOnLoop ? 0 : tally.ComputedSince(begun, nestedProcessor);
            tally.Wall += wall;
            tally.Processor += wall;
            if (isOnLoop && tally.TryBlame())
            {
                unit.Judge(Tally.LostTheLoop(computed), wall);
            }
            else if (wall >= Learning.Short && isOnLoop)
            {
                unit.Judge(computed >= Learning.Short ? Verdict.Computes : Verdict.Long, computed);
            }
            else if (wall >= Learning.Short)
            {
                unit.SeemedLongOffLoops();
            }
        }
    }

    private Task Watch(HttpContext context, CallContext call)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(call);
        var piece = Piece.Begin(unit.IsWatchedClosely);
        try
        {
            return next(context);
        }
        finally
        {
            unit.Judge(piece.End(out long held), held);
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }

    /// <summary>Inside a call that is watched: its awaits must not come back through that one's context.</summary>
    private Task RunInside(HttpContext context, CallContext around)
    {
        bool isOnLoop = EventLoop.Current is not null;
        if (unit.IsFixed)
        {
            return isOnLoop ? Run(context, around.Loop, isOnLoop) : ReturnToLoopAsync(context, around.Loop);
        }

        bool isOnRuntimePool = Thread.CurrentThread.IsThreadPoolThread;
        return !isOnLoop && !isOnRuntimePool ? Watch(context, new CallContext(unit, around.Loop, around.Pool))
            : unit.RunsOnLoops ? RunProven(context, around.Loop, isOnLoop)
            : SendToPoolAsync(context, around.Loop);
    }

    /// <summary>From a loop, or from where a request begins on the runtime's pool: so 503 comes from the start of the pipeline.</summary>
    private Task SendToPoolAsync(HttpContext context, SynchronizationContext loop) => requests.TryReject(context) ?? EnterPoolAsync(context, loop);

    private async Task EnterPoolAsync(HttpContext context, SynchronizationContext loop)
    {
        RuntimePoolStart.Refuse();
        await requests.Pool.SwitchTo();
        SynchronizationContext pool = SynchronizationContext.Current!;
        requests.PoolContext ??= pool;
        if (ThreadObserver.RecordsItem && EndpointMethod.Of(context) is { } method)
        {
            ThreadObserver.NoteMethod(method);
        }

        // Left in place behind the await: the end of the call comes back in it, without another way through a queue. Workers reset it.
        var call = new CallContext(unit, loop, pool);
        SynchronizationContext.SetSynchronizationContext(call);
        await Watch(context, call).ConfigureAwait(true);
    }

    private async Task ReturnToLoopAsync(HttpContext context, SynchronizationContext loop)
    {
        RuntimePoolStart.Refuse();
        await new LoopSwitch(loop);
        await InvokeAsync(context).ConfigureAwait(true);
    }
}
