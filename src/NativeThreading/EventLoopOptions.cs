using System.ComponentModel.DataAnnotations;

namespace NativeThreading;

/// <summary>How an <see cref="EventLoop"/> is set up. Read once, when the loop is created.</summary>
public sealed class EventLoopOptions : IValidatableObject
{
    /// <summary>The loop's name: that of its thread, and the tag of its diagnostics.</summary>
    public string Name { get; set; } = "loop";

    /// <summary>The priority of the loop's thread. On Linux it becomes the thread's nice value, as with
    /// <see cref="NativeThreadPoolOptions.ThreadPriority"/>.</summary>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <summary>The stack size of the loop's thread in bytes: 0, the default, for the system's, else at least 256 KiB.</summary>
    public int MaxStackSize { get; set; }

    /// <summary>Is asked about each unhandled exception of a callback, a timer or a handler, as an exception filter: on the loop's
    /// thread, before the stack unwinds. <see langword="true"/>: the exception is handled, and the loop goes on.
    /// <see langword="false"/>, or no such function: the exception is unhandled, which ends the process.</summary>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>Every value that is out of its range; for validation before a loop is created.</summary>
    IEnumerable<ValidationResult> IValidatableObject.Validate(ValidationContext validationContext)
    {
        OptionErrors errors = Errors();
        errors.UnlessNamed(nameof(Name), Name);
        return errors.Results;
    }

    internal EventLoopOptions Validated()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Name);
        Errors().ThrowIfAny();
        return Clone();
    }

    internal EventLoopOptions Clone() => (EventLoopOptions)MemberwiseClone();

    private OptionErrors Errors()
    {
        var errors = new OptionErrors();
        errors.UnlessDefined(nameof(ThreadPriority), ThreadPriority);
        errors.UnlessStackSize(nameof(MaxStackSize), MaxStackSize);
        return errors;
    }
}
