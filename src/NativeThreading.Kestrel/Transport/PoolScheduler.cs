using System.IO.Pipelines;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace NativeThreading.Kestrel.Transport;

/// <summary>Continues work of the application on a named pool, under the pool's context, so that its awaits return to the pool, too. A direction of a
/// connection has one callback at a time, so callbacks need no order.</summary>
internal sealed class PoolScheduler : PipeScheduler
{
    private readonly SynchronizationContext _context;

    private PoolScheduler(NativeThreadPool pool, SynchronizationContext context) => (Pool, _context) = (pool, context);

    public NativeThreadPool Pool { get; }

    /// <summary>Gets the context of the pool from an async function that runs there.</summary>
    public static async Task<PoolScheduler> OfAsync(NativeThreadPool pool) =>
        new(pool, await pool.RunAsync(static () => Task.FromResult(SynchronizationContext.Current!)).ConfigureAwait(false));

    /// <summary>Never rejected, or the connection would wait indefinitely.</summary>
    public override void Schedule(Action<object?> action, object? state) =>
        Pool.UnsafeQueueContinuation(static call => call.Run(), new Call(_context, action, state), preferLocal: false);

    private sealed class Call(SynchronizationContext context, Action<object?> action, object? state)
    {
        public void Run()
        {
            SynchronizationContext? before = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(context);
            try
            {
                action(state);
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }
        }
    }
}

/// <summary>Schedules the reads of one connection whose application runs on a named pool. A read that brings a new request starts work on the pool
/// and waits for a thread within the pool's limits. A read inside a request continues that request: a handler may block a thread of the pool until
/// the read has completed, so the read may run on a rescue thread.</summary>
/// <remarks>Kestrel, TLS, the application and a connection handler all read through the same pipe. Until the first request reaches the application,
/// only the code that awaits a read can tell whether the connection speaks HTTP.</remarks>
internal sealed class PoolReads : PipeScheduler
{
    private readonly LoopConnection _connection;
    private readonly PoolScheduler _application;
    private readonly Action _run;
    private Action<object?>? _action; // of the one read that a pipe has at a time
    private object? _state;
    private volatile Phase _phase;

    public PoolReads(LoopConnection connection, PoolScheduler application) =>
        (_connection, _application, _run) = (connection, application, () => _action!(_state));

    private enum Phase
    {
        New,
        BeforeRequests,
        BetweenRequests,
        Inside,
    }

    /// <summary>A request of HTTP/1 starts: until it completes, reads get its body. With HTTP/2, which never completes here, requests share the
    /// connection: any read may continue one of them, and Kestrel starts none of them where it reads.</summary>
    public void RequestStarts() => _phase = Phase.Inside;

    /// <summary>The request of HTTP/1 has completed.</summary>
    public void RequestCompletes() => _phase = Phase.BetweenRequests;

    public override void Schedule(Action<object?> action, object? state)
    {
        if (Begins(state))
        {
            (_action, _state) = (action, state);
            _application.Pool.SwitchTo().GetAwaiter().UnsafeOnCompleted(_run); // never rejected, or the connection would wait indefinitely
        }
        else
        {
            _application.Schedule(action, state);
        }
    }

    private bool Begins(object? awaiting)
    {
        switch (_phase)
        {
            case Phase.New:
                _phase = Phase.BeforeRequests;
                return true;
            case Phase.BeforeRequests when IsOfKestrel(awaiting):
            case Phase.BetweenRequests:
                return true;
            default:
                return false;
        }
    }

    /// <summary>Whether an async method of Kestrel itself awaits the read: before the first request it awaits the head of that one. Kestrel's adapter
    /// for TLS says nothing, since a connection handler may read through it.</summary>
    private bool IsOfKestrel(object? stateMachine) =>
        ReferenceEquals(_connection.Transport, _connection)
        && stateMachine?.GetType() is { IsGenericType: true } type && type.GenericTypeArguments[^1].Assembly == typeof(KestrelServer).Assembly;
}
