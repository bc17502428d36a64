using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using NativeThreading.EventLoops;
using NativeThreading.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds event loops to a container.</summary>
/// <example>
/// <code>
/// services.AddEventLoopGroup("io", options =&gt; options.LoopCount = 2);
/// </code>
/// </example>
public static class EventLoopGroupServiceCollectionExtensions
{
    /// <summary>The name of the group that is added without one.</summary>
    public const string DefaultName = "default";

    /// <summary>Adds the default group of event loops: <see cref="EventLoopGroup"/> as a singleton, also under the key <see
    /// cref="DefaultName"/>.</summary>
    /// <param name="services">The services to add it to.</param>
    /// <param name="configure">Sets options; called after they were bound, so that it sees what is configured.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="InvalidOperationException">A group of that name has been added already.</exception>
    /// <inheritdoc cref="AddEventLoopGroup(IServiceCollection, string, Action{EventLoopGroupOptions}?)" path="/remarks"/>
    public static IServiceCollection AddEventLoopGroup(this IServiceCollection services, Action<EventLoopGroupOptions>? configure = null) =>
        services.AddEventLoopGroup(DefaultName, configure);

    /// <summary>Adds a group of event loops as a keyed singleton: <c>[FromKeyedServices("io")] EventLoopGroup loops</c>.</summary>
    /// <param name="services">The services to add it to.</param>
    /// <param name="name">The group's name, which is the service's key, the options' name and the prefix of its threads' names.</param>
    /// <param name="configure">Sets options; called after they were bound, so that it sees what is configured.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="name"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty or holds a colon.</exception>
    /// <exception cref="InvalidOperationException">A group of that name has been added already.</exception>
    /// <remarks>
    /// <para>The options <c>name</c> of <see cref="EventLoopGroupOptions"/> are bound from the section
    /// <c>NativeThreading:EventLoops:{name}</c>, where there is one, and validated when the host starts: an error names the
    /// full key, its range and its value. A section of a name that was not added is an error, too. They are read once; a change
    /// of the section while the host runs has no effect and is logged as a warning.</para>
    /// <para>Where there is a host, it starts the loops before any other service starts, and shuts them down after all
    /// others have stopped and the pools have finished, for as long as the host's shutdown timeout allows. The container
    /// disposes them.</para>
    /// <para>Measurements go to the meter <c>NativeThreading</c> of the container's <see cref="IMeterFactory"/>.</para>
    /// </remarks>
    public static IServiceCollection AddEventLoopGroup(
        this IServiceCollection services, string name, Action<EventLoopGroupOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        Registration.ThrowUnlessName(name);
        var registration = new LoopsRegistration(name, provider =>
        {
            var loops = provider.GetRequiredKeyedService<EventLoopGroup>(name);
            return new StartedLoops(loops.Loops.Count, loops.ShutdownAsync);
        });
        registration.AddTo<LoopsRegistration>(services);

        OptionsBuilder<EventLoopGroupOptions> options = services.AddOptions<EventLoopGroupOptions>(name)
            .Configure<IServiceProvider>((options, provider) =>
            {
                options.Name = name;
                SectionBinding.Bind<EventLoopGroupOptions>(
                    provider.GetService<IConfiguration>(), registration, section => section.Bind(options, SectionBinding.RefuseUnknownKeys));
            })
            .ValidateOnStart();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddSingleton<IValidateOptions<EventLoopGroupOptions>>(
            new SectionValidator<EventLoopGroupOptions>(registration, new LoopsOptionsRules(), static options => options.Name));
        services.AddKeyedSingleton(name, static (provider, key) =>
            provider.GetRequiredService<IOptionsMonitor<EventLoopGroupOptions>>().Get((string)key!).CreateGroup(
                provider.GetRequiredService<IMeterFactory>()));
        if (name == DefaultName)
        {
            services.TryAddSingleton(static provider => provider.GetRequiredKeyedService<EventLoopGroup>(DefaultName));
        }

        services.AddMetrics();
        services.AddHostedService<NativeThreadingService>();
        return services;
    }
}
