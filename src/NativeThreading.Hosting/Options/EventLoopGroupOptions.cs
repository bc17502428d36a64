using System.ComponentModel.DataAnnotations;
using System.Diagnostics.Metrics;
using System.Globalization;

namespace NativeThreading.Hosting;

/// <summary>How a group of event loops is set up. Read once, when the group is created.</summary>
public sealed class EventLoopGroupOptions : IValidatableObject
{
    /// <summary>The group's name, under which it was added. Its threads have that name with a number behind.</summary>
    public string Name { get; set; } = "loop";

    /// <summary>How many loops: 1 to <see cref="EventLoopGroup.LoopLimit"/>; the number of processors by default.</summary>
    public int LoopCount { get; set; } = Environment.ProcessorCount;

    /// <inheritdoc cref="EventLoopOptions.ThreadPriority"/>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <inheritdoc cref="EventLoopOptions.MaxStackSize"/>
    public int MaxStackSize { get; set; }

    /// <inheritdoc cref="EventLoopOptions.HandsOverWhenBlocked"/>
    public bool HandsOverWhenBlocked { get; set; }

    /// <inheritdoc cref="EventLoopOptions.HandsOverWhenComputing"/>
    public bool HandsOverWhenComputing { get; set; }

    /// <inheritdoc cref="EventLoopOptions.MaxBlockedThreads"/>
    public int MaxBlockedThreads { get; set; } = 1_000;

    /// <inheritdoc cref="EventLoopOptions.UnhandledException"/>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>Everything that is out of its range.</summary>
    IEnumerable<ValidationResult> IValidatableObject.Validate(ValidationContext validationContext)
    {
        IEnumerable<ValidationResult> results = ((IValidatableObject)ToLoopOptions()).Validate(validationContext);
        return LoopCount is >= 1 and <= EventLoopGroup.LoopLimit
            ? results
            : results.Prepend(new ValidationResult(
                string.Create(CultureInfo.InvariantCulture, $"{nameof(LoopCount)} must be 1 to {EventLoopGroup.LoopLimit}, but is {LoopCount}."),
                [nameof(LoopCount)]));
    }

    internal EventLoopGroup CreateGroup(IMeterFactory meterFactory) => new(LoopCount, ToLoopOptions(), meterFactory);

    private EventLoopOptions ToLoopOptions() => new()
    {
        Name = Name,
        ThreadPriority = ThreadPriority,
        MaxStackSize = MaxStackSize,
        HandsOverWhenBlocked = HandsOverWhenBlocked,
        HandsOverWhenComputing = HandsOverWhenComputing,
        MaxBlockedThreads = MaxBlockedThreads,
        UnhandledException = UnhandledException,
    };
}
