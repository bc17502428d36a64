using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.AspNetCore;

/// <summary>The way of a hub's calls into a pool.</summary>
internal sealed class HubPool(IServiceProvider services, string poolName, string user)
{
    private readonly RejectionLog _rejections = services.GetRequiredService<RejectionLogs>().Of(poolName);

    public NativeThreadPool Pool { get; } = PoolRequests.Pool(services, poolName, user);

    /// <exception cref="HubException">
    /// The pool did not take the call. The text reaches the client, so it names nothing.
    /// </exception>
    public async Task<object?> RunAsync(Func<ValueTask<object?>> invoke, CancellationToken aborted)
    {
        var call = new HubCall(invoke);
        try
        {
            await call.RunAsync(Pool, aborted).ConfigureAwait(true); // false: the client has gone, and nobody waits for the result
        }
        catch (Exception exception) when (!call.HasBegun && PoolEntry.IsRefusal(exception))
        {
            _rejections.CallRejected();
            throw new HubException("The server has too much to do for this call: it was not begun. Try again later.");
        }

        return call.Result;
    }

    /// <summary>
    /// As <see cref="RunAsync"/>, for OnConnectedAsync: if that was not called, OnDisconnectedAsync must not be.
    /// </summary>
    /// <exception cref="OperationCanceledException">The client has gone before it was called.</exception>
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
            throw new OperationCanceledException("The client has gone before OnConnectedAsync was called.", aborted);
        }
    }
}
