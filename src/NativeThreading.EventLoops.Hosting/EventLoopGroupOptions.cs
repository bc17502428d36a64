using System.ComponentModel.DataAnnotations;
using System.Diagnostics.Metrics;
using System.Globalization;
using Microsoft.Extensions.Options;

namespace NativeThreading.EventLoops;

/// <summary>Options of an event loop group. Read once, when the group is created.</summary>
/// <example>
/// <code>
/// services.AddEventLoopGroup("io", options =&gt; options.LoopCount = 2);
/// </code>
/// </example>
public sealed class EventLoopGroupOptions : IValidatableObject
{
    /// <summary>Gets or sets the name under which the group was added. Its threads are named <c>{Name}-0</c>, <c>{Name}-1</c> and so on.</summary>
    public string Name { get; set; } = "loop";

    /// <summary>Gets or sets the number of loops. Between 1 and <see cref="EventLoopGroup.LoopLimit"/>; the number of processors by default.</summary>
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

    /// <inheritdoc cref="EventLoopOptions.MaxRescueThreads"/>
    public int? MaxRescueThreads { get; set; }

    /// <inheritdoc cref="EventLoopOptions.UnhandledException"/>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>Returns an error for each option that is out of its range.</summary>
    IEnumerable<ValidationResult> IValidatableObject.Validate(ValidationContext validationContext)
    {
        IEnumerable<ValidationResult> results = ((IValidatableObject)ToLoopOptions()).Validate(validationContext);
        return LoopCount is >= 1 and <= EventLoopGroup.LoopLimit
            ? results
            : results.Prepend(new ValidationResult(
                string.Create(CultureInfo.InvariantCulture, $"{nameof(LoopCount)} must be between 1 and {EventLoopGroup.LoopLimit}, but was {LoopCount}."),
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
        MaxRescueThreads = MaxRescueThreads,
        UnhandledException = UnhandledException,
    };
}

/// <summary>Validates the options by their own rules.</summary>
[OptionsValidator]
internal sealed partial class LoopsOptionsRules : IValidateOptions<EventLoopGroupOptions>;
