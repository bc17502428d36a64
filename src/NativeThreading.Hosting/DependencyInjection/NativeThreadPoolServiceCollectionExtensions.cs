using System.Diagnostics.Metrics;
using System.Reflection;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using NativeThreading;
using NativeThreading.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds thread pools to a container.</summary>
/// <example>
/// <code>
/// services.AddNativeThreadPool("mail", options =&gt; options.MaxThreads = 4);
/// </code>
/// </example>
public static class NativeThreadPoolServiceCollectionExtensions
{
    /// <summary>The name of the pool that is added without one.</summary>
    public const string DefaultName = "default";

    /// <summary>Registers the check of endpoints together with the pools. An unknown pool must fail the application's start, not its first request,
    /// and code that maps an endpoint cannot register services any more. So AddNativeThreadPool does.</summary>
    /// <remarks>This package must not depend on ASP.NET Core, so the method is called by reflection. Trimming understands literal names
    /// only.</remarks>
    private static readonly Func<IServiceCollection, IServiceCollection>? s_addEndpoints = Type
        .GetType("Microsoft.Extensions.DependencyInjection.NativeThreadPoolEndpointServiceCollectionExtensions, NativeThreading.AspNetCore")?
        .GetMethod("AddNativeThreadPoolEndpoints", BindingFlags.Public | BindingFlags.Static, [typeof(IServiceCollection)])?
        .CreateDelegate<Func<IServiceCollection, IServiceCollection>>();

    /// <summary>Adds the default pool: <see cref="NativeThreadPool"/> as a singleton, also under the key <see cref="DefaultName"/>.</summary>
    /// <param name="services">The services to add it to.</param>
    /// <param name="configure">Sets options; called after they were bound, so that it sees what is configured.</param>
    /// <returns>A builder, for what is to be added to the pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="InvalidOperationException">A pool of that name has been added already.</exception>
    /// <inheritdoc cref="AddNativeThreadPool(IServiceCollection, string, Action{NativeThreadPoolOptions}?)" path="/remarks"/>
    public static INativeThreadPoolBuilder AddNativeThreadPool(this IServiceCollection services, Action<NativeThreadPoolOptions>? configure = null) =>
        services.AddNativeThreadPool(DefaultName, configure);

    /// <summary>Adds a pool as a keyed singleton: <c>[FromKeyedServices("reports")] NativeThreadPool pool</c>.</summary>
    /// <param name="services">The services to add it to.</param>
    /// <param name="name">The pool's name, which is the service's key, the options' name, the tag of its metrics and the prefix of its threads' names.</param>
    /// <param name="configure">Sets options; called after they were bound, so that it sees what is configured.</param>
    /// <returns>A builder, for what is to be added to the pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="name"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty or holds a colon.</exception>
    /// <exception cref="InvalidOperationException">A pool of that name has been added already.</exception>
    /// <remarks>
    /// <para>The options <c>name</c> of <see cref="NativeThreadPoolOptions"/> are bound from the section
    /// <c>NativeThreading:Pools:{name}</c>, where there is one, and validated when the host starts: an error names the
    /// full key, its range and its value. A section of a name that was not added is an error, too. They are read once; a change
    /// of the section while the host runs has no effect and is logged as a warning.</para>
    /// <para>Where there is a host, it starts <see cref="NativeThreadPoolOptions.MinThreads"/> threads before any other
    /// service starts, and lets the pool finish its work after all others have stopped, for as long as the host's shutdown
    /// timeout allows. The container disposes the pool.</para>
    /// <para>Where the package NativeThreading.AspNetCore is deployed, its <c>AddNativeThreadPoolEndpoints</c> is called, too.</para>
    /// <para>The pool is an <see cref="IWorkScheduler"/> under the same key, and without one if it is the default pool: a test
    /// registers a <c>ManualThreadPool</c> in its place.</para>
    /// <para>Measurements go to the meter <c>NativeThreading</c> of the container's <see cref="IMeterFactory"/>.</para>
    /// </remarks>
    public static INativeThreadPoolBuilder AddNativeThreadPool(
        this IServiceCollection services, string name, Action<NativeThreadPoolOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        Registration.ThrowUnlessName(name);
        var registration = new PoolRegistration(name);
        registration.AddTo<PoolRegistration>(services);

        OptionsBuilder<NativeThreadPoolOptions> options = services.AddOptions<NativeThreadPoolOptions>(name)
            .Configure<IServiceProvider>((options, provider) =>
            {
                options.Name = name;
                SectionBinding.Bind<NativeThreadPoolOptions>(
                    provider.GetService<IConfiguration>(), registration, section => section.Bind(options, SectionBinding.RefuseUnknownKeys));
            })
            .ValidateOnStart();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddSingleton<IValidateOptions<NativeThreadPoolOptions>>(
            new SectionValidator<NativeThreadPoolOptions>(registration, new PoolOptionsRules(), static options => options.Name));
        services.AddKeyedSingleton(name, static (provider, key) => new NativeThreadPool(
            provider.GetRequiredService<IOptionsMonitor<NativeThreadPoolOptions>>().Get((string)key!),
            provider.GetRequiredService<IMeterFactory>()));
        services.AddKeyedSingleton<IWorkScheduler>(name, static (provider, key) => provider.GetRequiredKeyedService<NativeThreadPool>(key));
        if (name == DefaultName)
        {
            services.TryAddSingleton(static provider => provider.GetRequiredKeyedService<NativeThreadPool>(DefaultName));
            services.TryAddSingleton<IWorkScheduler>(static provider => provider.GetRequiredService<NativeThreadPool>());
        }

        services.AddMetrics();
        services.TryAddSingleton<PoolConditions>();
        services.AddHostedService<NativeThreadingService>();
        s_addEndpoints?.Invoke(services);
        return new Builder(name, services);
    }

    private sealed record Builder(string Name, IServiceCollection Services) : INativeThreadPoolBuilder;
}

/// <summary>The result of AddNativeThreadPool, on which extensions add more to the pool, such as a health check.</summary>
/// <example>
/// <code>
/// INativeThreadPoolBuilder mail = services.AddNativeThreadPool("mail");
/// mail.AddHealthCheck();
/// </code>
/// </example>
public interface INativeThreadPoolBuilder
{
    /// <summary>Gets the name of the pool: the key of its service, the name of its options and the tag of its metrics.</summary>
    string Name { get; }

    /// <summary>Gets the services to which the pool was added.</summary>
    IServiceCollection Services { get; }
}
