using System.ComponentModel.DataAnnotations;

namespace NativeThreading;

/// <summary>How an <see cref="EventLoop"/> is set up. Read once, when the loop is created.</summary>
public sealed class EventLoopOptions : IValidatableObject
{
    /// <summary>The loop's name, which its thread carries and its diagnostics are tagged with.</summary>
    public string Name { get; set; } = "loop";

    /// <summary>
    /// The priority of the loop's thread. On Linux it becomes the thread's nice value, as with
    /// <see cref="NativeThreadPoolOptions.ThreadPriority"/>.
    /// </summary>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <summary>The stack size of the loop's thread in bytes: 0, the default, for the system's, else at least 256 KiB.</summary>
    public int MaxStackSize { get; set; }

    /// <summary>
    /// Asked about each exception that a callback, a timer or a handler does not handle, as an exception filter: on the
    /// loop's thread, before the stack unwinds. <see langword="true"/>: handled, the loop goes on.
    /// <see langword="false"/>, or no handler: the exception is unhandled, which ends the process.
    /// </summary>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>Everything that is out of its range, for whoever validates options before a loop is created with them.</summary>
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
