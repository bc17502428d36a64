using System.Runtime.InteropServices;
using NativeThreading.EventLoops.Turns;
using NativeThreading.Platform;
using NativeThreading.Tasks;

namespace NativeThreading.EventLoops;

// Descriptors that the loop watches, and work that it offloads to a pool.
public sealed partial class EventLoop
{
    private const EventLoopInterest EveryInterest = EventLoopInterest.Read | EventLoopInterest.Write | EventLoopInterest.EdgeTriggered;

    /// <summary>Watches a descriptor and calls back on the loop's thread when it is ready. On another thread the call waits for the loop.
    /// If the loop may be waiting for that thread, use <see cref="InvokeAsync(Action, CancellationToken)"/> instead.</summary>
    /// <param name="handle">A socket, pipe or other descriptor that can be polled. It should be non-blocking. Until the registration is
    /// disposed the handle stays alive, and its number is not used again.</param>
    /// <param name="interest">The events that the loop reports.</param>
    /// <param name="handler">The handler. The loop calls it with the ready events and <paramref name="state"/>, in the caller's execution context. Without
    /// <see cref="EventLoopInterest.EdgeTriggered"/>, the loop calls it again in each turn while the descriptor stays ready.</param>
    /// <param name="state">An argument of the handler.</param>
    /// <returns>The registration. After its disposal the loop starts no call of the handler, not even for events that were ready before.
    /// <see cref="EventLoopRegistration.Dispose"/> says what a disposal on another thread does.</returns>
    /// <remarks>Dispose the registration before a <see cref="System.Net.Sockets.Socket"/> of that handle. The socket's disposal waits until
    /// no user holds the handle: on the loop's thread it would wait for itself.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> or <paramref name="handler"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is invalid, or cannot be polled, as regular files cannot.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="interest"/> has unknown flags.</exception>
    /// <exception cref="InvalidOperationException">The descriptor is registered with this loop already, or the system does not allow the process to
    /// watch more descriptors; the message contains errno.</exception>
    /// <exception cref="PlatformNotSupportedException">The process runs on the managed core, or this is not Linux: loops then have callbacks and
    /// timers only.</exception>
    /// <exception cref="ObjectDisposedException"><paramref name="handle"/> is closed; or the loop has stopped, or it is shutting
    /// down and the caller is not on its thread.</exception>
    public EventLoopRegistration Register(
        SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state) =>
        RegisterIn(DefaultContext.Flowing(), handle, interest, handler, state);

    /// <summary>As <see cref="Register"/>, without the execution context: nothing is restored before a call of the handler.</summary>
    /// <inheritdoc cref="Register" path="/*[not(self::summary)]"/>
    public EventLoopRegistration UnsafeRegister(
        SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state) =>
        RegisterIn(context: null, handle, interest, handler, state);

    /// <summary>Runs <paramref name="work"/> on a pool and then <paramref name="completed"/> on this loop, both in the caller's
    /// execution context. Allocates nothing in steady use. Completions that are close together wake the loop once.</summary>
    /// <param name="pool">The pool that runs the work.</param>
    /// <param name="work">The callback of the work. A worker of the pool calls it once, with <paramref name="state"/>. The pool treats its unhandled
    /// exception like that of a raw work item; if the pool's handler handles it, <paramref name="completed"/> runs all the same.</param>
    /// <param name="completed">The callback of the completion. The loop's thread calls it once, with <paramref name="state"/>. It is not called if the pool
    /// drops the work, because the token of its shutdown was cancelled.</param>
    /// <param name="state">The argument of both callbacks.</param>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/>, <paramref name="work"/> or <paramref name="completed"/> is
    /// null.</exception>
    /// <exception cref="ObjectDisposedException">The loop has stopped; or the pool or the loop is shutting down, and the caller is
    /// not one of its threads.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    /// <exception cref="QueueFullException">The queue of the pool is full; nothing was queued.</exception>
    public void Offload(NativeThreadPool pool, Action<object?> work, Action<object?> completed, object? state)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentNullException.ThrowIfNull(work);
        ArgumentNullException.ThrowIfNull(completed);
        Offloads.Start(pool, work, completed, state);
    }

    /// <summary>Runs an action on a pool; the task completes on this loop.</summary>
    /// <param name="pool">The pool that runs the work.</param>
    /// <param name="work">The work to run.</param>
    /// <param name="cancellationToken">A token that cancels the operation if it has not started.</param>
    /// <returns>A task with the outcome, which completes on the loop. An async method that awaits it on the loop continues at once. Code that awaits it on
    /// another thread does not continue on the loop. If the queue of the pool is full, the task fails with a <see cref="QueueFullException"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="pool"/> or <paramref name="work"/> is null.</exception>
    /// <exception cref="ObjectDisposedException">The loop has stopped; or the pool or the loop is shutting down, and the caller is
    /// not one of its threads.</exception>
    /// <exception cref="OutOfMemoryException">The pool has no thread and could not start one; nothing was queued.</exception>
    public Task OffloadAsync(NativeThreadPool pool, Action work, CancellationToken cancellationToken = default) =>
        Offloads.StartAsync<NoResult, Action>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs a function on a pool; the task completes on this loop.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task<TResult> OffloadAsync<TResult>(NativeThreadPool pool, Func<TResult> work, CancellationToken cancellationToken = default) =>
        Offloads.StartAsync<TResult, Func<TResult>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs an async function on a pool, where its awaits resume; the task completes on this loop.</summary>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task OffloadAsync(NativeThreadPool pool, Func<Task> work, CancellationToken cancellationToken = default) =>
        Offloads.StartAsync<NoResult, Func<Task>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    /// <summary>Runs an async function on a pool, where its awaits resume; the task completes on this loop.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <inheritdoc cref="OffloadAsync(NativeThreadPool, Action, CancellationToken)"/>
    public Task<TResult> OffloadAsync<TResult>(NativeThreadPool pool, Func<Task<TResult>> work, CancellationToken cancellationToken = default) =>
        Offloads.StartAsync<TResult, Func<Task<TResult>>>(
            pool, work, static (pool, work, token) => pool.QueueLimit is null ? pool.Run(work, token) : pool.RunAsync(work, token), cancellationToken);

    private static void CheckDescriptors()
    {
        if (!CoreLoop.HasDescriptors)
        {
            throw new PlatformNotSupportedException(
                "Event loops can watch file descriptors only on Linux and on the native core. This process runs on "
                + $"{RuntimeInformation.RuntimeIdentifier}, on the {CoreChoice.Core.ToString().ToLowerInvariant()} core: {CoreChoice.Reason} "
                + "Callbacks and timers work on every platform.");
        }
    }

    internal static void CheckInterest(EventLoopInterest interest)
    {
        if ((interest & ~EveryInterest) != 0)
        {
            throw new ArgumentOutOfRangeException(
                nameof(interest),
                interest,
                $"{nameof(interest)} contains unknown flags ({(int)(interest & ~EveryInterest)}). Valid flags are {nameof(EventLoopInterest.Read)}, "
                + $"{nameof(EventLoopInterest.Write)} and {nameof(EventLoopInterest.EdgeTriggered)}.");
        }
    }

    private EventLoopRegistration RegisterIn(
        ExecutionContext? context, SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state)
    {
        ArgumentNullException.ThrowIfNull(handle);
        ArgumentNullException.ThrowIfNull(handler);
        CheckInterest(interest);
        Lifecycle.BeforeEntry();
        CheckDescriptors();
        try
        {
            EventLoopRegistration? registration = RegisterHere(context, handle, interest, handler, state);
            while (registration is null) // retry: another thread took the loop over at this moment
            {
                Task<EventLoopRegistration?> made = InvokeAsync(() => RegisterHere(context, handle, interest, handler, state));
                Completion.Wait(made);
                registration = made.Result;
            }

            return registration;
        }
        catch (OperationCanceledException)
        {
            throw new ObjectDisposedException(ToString(), "The event loop stopped before it could register the descriptor.");
        }
    }

    /// <summary><see langword="null"/>: the caller is not in the loop.</summary>
    private EventLoopRegistration? RegisterHere(
        ExecutionContext? context, SafeHandle handle, EventLoopInterest interest, Action<EventLoopReadiness, object?> handler, object? state)
    {
        using var hold = new LoopHold(this);
        return hold.IsInLoop ? new EventLoopRegistration(this, handle, interest, handler, state, context) : null;
    }
}
