namespace Microsoft.Extensions.DependencyInjection;

/// <summary>A group of event loops that was added to a container, for what is to be added to it.</summary>
public interface IEventLoopGroupBuilder
{
    /// <summary>The group's name: the key of its service and the name of its options.</summary>
    string Name { get; }

    /// <summary>The services it was added to.</summary>
    IServiceCollection Services { get; }
}
