using NativeThreading.AspNetCore;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Runs the requests of endpoints on a pool.</summary>
/// <example>
/// <code>
/// builder.Services.AddNativeThreadPool("reports");
/// app.MapGet("/report", () =&gt; Report()).RunOnNativeThreadPool("reports");
/// </code>
/// </example>
public static class NativeThreadPoolEndpointConventionBuilderExtensions
{
    /// <summary>Runs the requests of these endpoints on a pool: <c>app.MapGet("/report", ...).RunOnNativeThreadPool("reports")</c>.</summary>
    /// <remarks>
    /// <para>The endpoint (filters, model binding, handler, result) and the awaits in it run on the pool; middleware before the
    /// endpoint does not. The page "ASP.NET Core" of the documentation lists the code that leaves the pool. The execution context flows: activity,
    /// culture and the values of <c>AsyncLocal</c>s. Exceptions reach the middleware unchanged.</para>
    /// <para>If the pool rejects a request, because its queue is full or it is shutting down, the application answers with 503 and
    /// <c>Retry-After</c> (<see cref="NativeThreadPoolRequestOptions"/>), with problem details if that service exists. A
    /// request that is aborted while it waits leaves the queue, and its handler is not called.</para>
    /// <para>For a SignalR hub (<c>MapHub</c>) each call runs on the pool, but the connection does not. The client of a rejected call gets a
    /// <c>HubException</c>. Connections without a hub (<c>MapConnectionHandler</c>) cannot be isolated: with them the application fails at
    /// startup.</para>
    /// <para>May be used on groups and on controllers. If there are several names, the last one counts, so an endpoint's own name takes precedence
    /// over that of its group. If no pool has the name, the application fails at startup with an <see cref="InvalidOperationException"/>. This check
    /// needs the services of <c>AddNativeThreadPoolEndpoints</c>, which <c>AddNativeThreadPool</c> and the hosting startup of this package add.
    /// Without them (the page "ASP.NET Core" of the documentation says when) the first request throws the exception, and an error is logged. Do not
    /// call this once the application runs.</para>
    /// </remarks>
    /// <param name="builder">The endpoints.</param>
    /// <param name="poolName">The name under which the pool is registered.</param>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="poolName"/> is null, empty or white space.</exception>
    public static TBuilder RunOnNativeThreadPool<TBuilder>(this TBuilder builder, string poolName)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        var metadata = new RunOnNativeThreadPoolAttribute(poolName);
        builder.Add(endpoint => endpoint.Metadata.Add(metadata));

        // Last, so that it wraps what the other conventions make of the request delegate.
        builder.Finally(PoolEndpoints.Isolate);
        return builder;
    }
}

/// <summary>Runs the rest of a pipeline on a pool.</summary>
/// <example>
/// <code>
/// app.Map("/reports", branch =&gt; branch.UseNativeThreadPool("reports"));
/// </code>
/// </example>
public static class NativeThreadPoolApplicationBuilderExtensions
{
    /// <summary>Runs the rest of this pipeline on a pool, for example that of a branch: <c>app.Map("/reports", branch =>
    /// branch.UseNativeThreadPool("reports").Run(...))</c>.</summary>
    /// <remarks>Earlier parts of the pipeline, including the server, stay where they were. Everything that <see
    /// cref="NativeThreadPoolEndpointConventionBuilderExtensions.RunOnNativeThreadPool"/> says about requests holds here, too. Call it while the
    /// pipeline is built.</remarks>
    /// <param name="app">The pipeline.</param>
    /// <param name="poolName">The name under which the pool is registered.</param>
    /// <returns><paramref name="app"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="app"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="poolName"/> is null, empty or white space.</exception>
    /// <exception cref="InvalidOperationException">No pool is registered under that name.</exception>
    public static IApplicationBuilder UseNativeThreadPool(this IApplicationBuilder app, string poolName)
    {
        ArgumentNullException.ThrowIfNull(app);
        ArgumentException.ThrowIfNullOrWhiteSpace(poolName);

        // Checked here and not when the pipeline is complete, so the exception's stack shows the caller.
        PoolRequests.Pool(app.ApplicationServices, poolName, nameof(UseNativeThreadPool));
        return app.Use(next => PoolRequests.On(app.ApplicationServices, poolName, next, nameof(UseNativeThreadPool)));
    }
}
