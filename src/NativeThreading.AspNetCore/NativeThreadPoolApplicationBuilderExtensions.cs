using NativeThreading.AspNetCore;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Runs the rest of a pipeline on a pool.</summary>
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
