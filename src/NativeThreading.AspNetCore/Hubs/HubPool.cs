using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>Runs the calls of a hub on a pool.</summary>
internal sealed class HubPool(IServiceProvider services, string poolName, string user)
{
    private readonly RejectionLog _rejections = services.GetRequiredService<RejectionLogs>().Of(poolName);

    public NativeThreadPool Pool { get; } = PoolRequests.Pool(services, poolName, user);

    /// <exception cref="HubException">
    /// The pool rejected the call. The client sees the message, so it does not name the pool.
    /// </exception>
    public async Task<object?> RunAsync(Func<ValueTask<object?>> invoke, CancellationToken aborted)
    {
        var call = new HubCall(invoke);
        try
        {
            await call.RunAsync(Pool, aborted).ConfigureAwait(true); // false: the client has disconnected and does not wait for the result
        }
        catch (Exception exception) when (!call.HasStarted && PoolPassage.IsRejection(exception))
        {
            _rejections.CallRejected();
            throw new HubException("The server is busy and did not start this call. Try again later.");
        }

        return call.Result;
    }

    /// <summary>The same for OnConnectedAsync: SignalR must not call OnDisconnectedAsync if OnConnectedAsync was not called.</summary>
    /// <exception cref="OperationCanceledException">The client disconnected before OnConnectedAsync was called.</exception>
    public async Task ConnectAsync(Func<Task> connect, CancellationToken aborted)
    {
        bool isCalled = false;
        await RunAsync(
            async () =>
            {
                isCalled = true;
                await connect().ConfigureAwait(true);
                return null;
            },
            aborted).ConfigureAwait(true);
        if (!isCalled)
        {
            throw new OperationCanceledException("The client disconnected before OnConnectedAsync was called.", aborted);
        }
    }
}

/// <summary>One call of a hub on its way through the queue of a pool.</summary>
internal sealed class HubCall(Func<ValueTask<object?>> invoke) : PoolPassage
{
    private Func<ValueTask<object?>>? _invoke = invoke;

    /// <summary>The result of the hub's method; null if the client disconnected before the method started.</summary>
    public object? Result { get; private set; }

    protected override async Task InvokeAsync() => Result = await _invoke!().ConfigureAwait(true);

    protected override void Forget() => _invoke = null;
}
