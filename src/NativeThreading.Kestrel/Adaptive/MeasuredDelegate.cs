using Microsoft.AspNetCore.Http;
using NativeThreading.AspNetCore;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>Runs code of the application where its profile allows it. For proven code on a loop this costs two reads of the clock. Code that runs on
/// no loop (HTTP/2, and endpoints on a pool of the application) is called directly.</summary>
internal sealed class MeasuredDelegate(AdaptiveRequests requests, EndpointProfile profile, RequestDelegate next, bool isOutermost = false)
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

    private Task Begin(HttpContext context, SynchronizationContext loop, bool begins)
    {
        bool isOnLoop = EventLoop.Current is not null;
        Task task = !profile.RunsOnLoops ? SendToPoolAsync(context, loop)
            : isOnLoop || begins ? RunProven(context, loop, isOnLoop)
            : next(context); // a thread whose loop was taken over holds up no connection: there is nothing to measure
        if (isOutermost && !task.IsCompleted)
        {
            EndOfRequest.Await(loop);
        }

        return task;
    }

    /// <summary>Code that continues in place has no context, as with Kestrel's socket transport. Middleware always has one, because the endpoints
    /// that it calls on the built-in pool learn their loop from it.</summary>
    private Task RunProven(HttpContext context, SynchronizationContext loop, bool isOnLoop) =>
        (isOnLoop ? profile.IsWatched : profile.IsWatchedOffLoops) ? Watch(context, NewCall(loop))
        : isOutermost && (profile.ContinuesInPlace || !isOnLoop) ? Run(context, NewCall(loop), isWatched: false)
        : Run(context, profile.ContinuesInPlace ? null : loop, isWatched: false);

    private CallContext NewCall(SynchronizationContext loop) => new(profile, loop, requests.PoolContext ?? loop);

    private Task Watch(HttpContext context, CallContext call) => Run(context, call, isWatched: true);

    /// <summary>Allocates nothing.</summary>
    private Task Run(HttpContext context, SynchronizationContext? under, bool isWatched)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        if (under != before)
        {
            SynchronizationContext.SetSynchronizationContext(under);
        }

        var segment = TimedSegment.Begin(isWatched && profile.IsWatchedClosely);
        try
        {
            Task task = next(context);
            if (!isWatched)
            {
                profile.Called(task.IsCompleted);
            }

            return task;
        }
        finally
        {
            Verdict verdict = segment.End(out long held);
            if (under != before)
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }

            if (isWatched || (verdict != Verdict.Short && segment.IsOnLoop))
            {
                profile.Judge(verdict, held);
            }
            else if (verdict != Verdict.Short)
            {
                profile.SeemedLongOffLoops();
            }
        }
    }

    /// <summary>Inside a watched call: the awaits of this code must not resume through the context of the outer call.</summary>
    private Task RunInside(HttpContext context, CallContext around)
    {
        bool isOnLoop = EventLoop.Current is not null;
        if (profile.IsFixed)
        {
            return isOnLoop ? Run(context, around.Loop, isWatched: false) : ReturnToLoopAsync(context, around.Loop);
        }

        return !isOnLoop && !Thread.CurrentThread.IsThreadPoolThread ? Watch(context, new CallContext(profile, around.Loop, around.Pool))
            : profile.RunsOnLoops ? RunProven(context, around.Loop, isOnLoop)
            : SendToPoolAsync(context, around.Loop);
    }

    /// <summary>From a loop, or from where a request starts on the built-in pool: a 503 leaves before the pipeline has done any work.</summary>
    private Task SendToPoolAsync(HttpContext context, SynchronizationContext loop) => requests.TryReject(context) ?? EnterPoolAsync(context, loop);

    private async Task EnterPoolAsync(HttpContext context, SynchronizationContext loop)
    {
        RuntimePoolStart.Refuse();
        await requests.Pool.SwitchTo();
        SynchronizationContext pool = SynchronizationContext.Current!;
        requests.PoolContext ??= pool;
        EndpointName.Note(context);

        // Stays after the await, so the end of the call resumes through it without another queue. Workers reset their context.
        var call = new CallContext(profile, loop, pool);
        SynchronizationContext.SetSynchronizationContext(call);
        await Watch(context, call).ConfigureAwait(true);
    }

    private async Task ReturnToLoopAsync(HttpContext context, SynchronizationContext loop)
    {
        RuntimePoolStart.Refuse();
        SynchronizationContext.SetSynchronizationContext(loop); // of this async method alone: its caller's comes back
        await Task.Yield();
        await InvokeAsync(context).ConfigureAwait(true);
    }
}
