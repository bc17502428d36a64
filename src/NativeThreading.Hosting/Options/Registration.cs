using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.Hosting;

/// <summary>A pool or a group of loops that was added, with the section of its configuration.</summary>
internal abstract record Registration(string Name, string Section)
{
    public string Path => $"{Section}:{Name}";

    protected abstract string What { get; }

    /// <summary>Names are case-insensitive, like configuration keys: two pools whose names differ only in case would share a section.</summary>
    /// <exception cref="InvalidOperationException">The name is taken.</exception>
    public void AddTo<TSelf>(IServiceCollection services)
        where TSelf : Registration
    {
        foreach (ServiceDescriptor service in services)
        {
            if (!service.IsKeyedService && service.ImplementationInstance is TSelf other && string.Equals(other.Name, Name, StringComparison.OrdinalIgnoreCase))
            {
                throw new InvalidOperationException(
                    $"{What} named '{other.Name}' is already registered (configuration section {other.Path}). Names are case-insensitive; choose another name.");
            }
        }

        services.AddSingleton((TSelf)this);
    }

    /// <exception cref="ArgumentException">The name is empty, or contains a colon, which separates configuration keys.</exception>
    public static void ThrowUnlessName(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        if (name.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The name '{name}' must not contain ':', because ':' separates configuration keys.", nameof(name));
        }
    }
}

/// <summary>A pool that was added.</summary>
internal sealed record PoolRegistration(string Name) : Registration(Name, AllPools)
{
    public const string AllPools = "NativeThreading:Pools";

    protected override string What => "A thread pool";
}

/// <summary>A group of event loops that was added. Their package says how a group is created and shut down, because this one does not refer to loops.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Start">Creates the group.</param>
internal sealed record LoopsRegistration(string Name, Func<IServiceProvider, StartedLoops> Start) : Registration(Name, AllGroups)
{
    public const string AllGroups = "NativeThreading:EventLoops";

    protected override string What => "An event loop group";
}

/// <summary>A group of event loops that runs.</summary>
/// <param name="Count">The number of its loops.</param>
/// <param name="ShutdownAsync">Shuts the group down; returns the number of dropped callbacks.</param>
internal sealed record StartedLoops(int Count, Func<CancellationToken, Task<long>> ShutdownAsync);
