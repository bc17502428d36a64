using System.ComponentModel.DataAnnotations;

namespace NativeThreading.EventLoops;

/// <summary>Options of an <see cref="EventLoop"/>. They are read once, when the loop is created. Not thread-safe; the constructor of the loop, not a property,
/// throws if a value is out of range.</summary>
/// <example>
/// <code>
/// await using var loop = new EventLoop(new EventLoopOptions { Name = "io", HandsOverWhenBlocked = true });
/// </code>
/// </example>
public sealed class EventLoopOptions : IValidatableObject
{
    /// <summary>Gets or sets the name of the loop: the name of its thread and the tag of its metrics; <c>loop</c> by default.</summary>
    public string Name { get; set; } = "loop";

    /// <summary>Gets or sets the priority of the loop's thread. On Linux it becomes the thread's nice value, as with
    /// <see cref="NativeThreadPoolOptions.ThreadPriority"/>. <see cref="System.Threading.ThreadPriority.Normal"/> by default.</summary>
    public ThreadPriority ThreadPriority { get; set; } = ThreadPriority.Normal;

    /// <summary>Gets or sets the stack size of the loop's thread in bytes: at least 256 KiB, or 0, the default, for the system's size.</summary>
    public int MaxStackSize { get; set; }

    /// <summary>Gets or sets whether another thread takes the loop over while a callback blocks: within milliseconds, or at once if the callback
    /// enters a region of <see cref="NativeThreadPool.EnterBlockingRegion"/>. The blocked callback completes on its thread, which
    /// then ends. So two callbacks may overlap, but never two of one timer or registration. If a callback can block while it is changing
    /// shared state, protect that state with a lock. <see langword="false"/> by default.</summary>
    public bool HandsOverWhenBlocked { get; set; }

    /// <summary>Gets or sets a value that says whether another thread also takes the loop over from a callback that computes: once the callback has
    /// used 10 ms of processor time. <see langword="false"/> by default. Only with <see cref="HandsOverWhenBlocked"/>.</summary>
    /// <remarks>Two callbacks may then overlap at any point of the first one, and not only where it blocks. So all state that callbacks share
    /// needs locks. Without the native core on Linux this option has no effect, because processor times of threads are not known there.</remarks>
    public bool HandsOverWhenComputing { get; set; }

    /// <summary>Gets or sets how many callbacks may block at once while the loop continues. Beyond that the loop waits, and is rescued
    /// (<see cref="MaxRescueThreads"/>). 1 to
    /// <see cref="NativeThreadPoolOptions.ThreadLimit"/>; 1,000 by default. Only with <see cref="HandsOverWhenBlocked"/>.</summary>
    public int MaxBlockedThreads { get; set; } = 1_000;

    /// <summary>Gets or sets how many more callbacks may block at once if the loop is stuck at <see cref="MaxBlockedThreads"/>. 0 to
    /// <see cref="NativeThreadPoolOptions.ThreadLimit"/>; 0 turns rescue off. <see langword="null"/>, the default, means as many as
    /// <see cref="MaxBlockedThreads"/>. Only with <see cref="HandsOverWhenBlocked"/>.</summary>
    /// <remarks>A callback that has been blocked for 100 ms at the limit may wait for another callback, a timer or a descriptor of the same
    /// loop. So another thread takes the loop over, and the event source <c>NativeThreading</c> reports an error.</remarks>
    public int? MaxRescueThreads { get; set; }

    /// <summary>Gets or sets a function that decides about each unhandled exception of a callback, a timer or a handler. It is called as an exception
    /// filter: on the loop's thread, before the stack unwinds. If it returns <see langword="true"/>, the exception is handled and the loop continues.
    /// If it returns <see langword="false"/>, or if there is no function, the exception is unhandled, which ends the process.</summary>
    public Func<Exception, bool>? UnhandledException { get; set; }

    /// <summary>Returns an error for each option that is out of range, for frameworks that validate options before a loop is created.</summary>
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
        errors.UnlessInRange(nameof(MaxBlockedThreads), MaxBlockedThreads, 1, NativeThreadPoolOptions.ThreadLimit);
        if (MaxRescueThreads is { } rescue)
        {
            errors.UnlessInRange(nameof(MaxRescueThreads), rescue, 0, NativeThreadPoolOptions.ThreadLimit);
        }

        errors.UnlessStackSize(nameof(MaxStackSize), MaxStackSize);
        return errors;
    }
}
