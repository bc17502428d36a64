namespace Microsoft.Extensions.DependencyInjection;

/// <summary>A pool that was added to a container, for what is to be added to it.</summary>
public interface INativeThreadPoolBuilder
{
    /// <summary>The pool's name: the key of its service, the name of its options and the tag of its metrics.</summary>
    string Name { get; }

    /// <summary>The services it was added to.</summary>
    IServiceCollection Services { get; }
}
