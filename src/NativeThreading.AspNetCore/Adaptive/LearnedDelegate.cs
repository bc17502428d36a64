using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using NativeThreading.Diagnostics;

namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// Runs code of the application where it is known to do no harm. On the loop, for code that is proven short, this costs two looks at
/// the clock. What runs on no loop, as HTTP/2 and what is on a pool of the application's, goes on as it is.
/// </summary>
internal sealed class LearnedDelegate(AdaptiveRequests requests, LearnedUnit unit, RequestDelegate next, bool isOutermost = false)
{
    public Task InvokeAsync(HttpContext context)
    {
        SynchronizationContext? here = SynchronizationContext.Current;
        if (here is null)
        {
            return next(context);
        }

        if (here.GetType() != requests.LoopContext)
        {
            return here is CallContext around ? RunInside(context, around) : next(context);
        }

        Task task = RunOnLoop(context, here);
        if (isOutermost && !task.IsCompleted)
        {
            EndOfRequest.Await(here);
        }

        return task;
    }

    private Task RunOnLoop(HttpContext context, SynchronizationContext here) =>
        !unit.RunsOnLoops ? SendToPoolAsync(context, here)
        : EventLoop.Current is null ? next(context) // a thread whose loop was taken over holds up nobody: nothing is to be learned there
        : unit.IsWatched ? Watch(context, new CallContext(unit, here, requests.PoolContext ?? here))
        : Run(context);

    /// <summary>The way of every request of code that is proven. Allocates nothing.</summary>
    private Task Run(HttpContext context)
    {
        var tally = Tally.Current;
        long nested = tally.Wall;
        long begun = Stopwatch.GetTimestamp();
        try
        {
            Task task = next(context);
            unit.Called(task.IsCompleted);
            return task;
        }
        finally
        {
            long wall = Stopwatch.GetTimestamp() - begun - (tally.Wall - nested);
            tally.Wall += wall;
            tally.Processor += wall;
            if (tally.TryBlame())
            {
                unit.Judge(Verdict.Blocks);
            }
            else if (wall >= Learning.Short)
            {
                unit.SeemedLong();
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
            unit.Judge(piece.End());
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }

    /// <summary>Inside a call that is watched: its awaits must not come back through that one's context.</summary>
    private Task RunInside(HttpContext context, CallContext around)
    {
        bool isOnLoop = EventLoop.Current is not null;
        if (unit.IsFixed)
        {
            return isOnLoop ? RunUnder(context, around.Loop) : ReturnToLoopAsync(context, around.Loop);
        }

        return isOnLoop && !unit.RunsOnLoops
            ? SendToPoolAsync(context, around.Loop)
            : Watch(context, new CallContext(unit, around.Loop, around.Pool));
    }

    private async Task SendToPoolAsync(HttpContext context, SynchronizationContext loop)
    {
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
        await new LoopSwitch(loop);
        await InvokeAsync(context).ConfigureAwait(true);
    }

    private Task RunUnder(HttpContext context, SynchronizationContext loop)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(loop);
        try
        {
            return Run(context);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }
}
