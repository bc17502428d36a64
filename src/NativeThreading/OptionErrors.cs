using System.ComponentModel.DataAnnotations;

namespace NativeThreading;

/// <summary>The errors of a set of options. A constructor throws the first one; validation returns all of them.</summary>
internal sealed class OptionErrors
{
    private readonly List<OptionError> _errors = [];

    /// <summary>The results for frameworks that validate options: one per error, with a message that names the option, its range and its value.</summary>
    public IEnumerable<ValidationResult> Results =>
        _errors.Select(static error => new ValidationResult(error.Message, [error.Option]));

    public void UnlessInRange(string option, int value, int least, int most)
    {
        if (value < least || value > most)
        {
            Add(option, value, OptionRange.Of(least, most));
        }
    }

    public void UnlessNamed(string option, string? value)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            _errors.Add(new OptionError(option, value, $"{option} must not be null, empty or white space."));
        }
    }

    // Enum.IsDefined reads the enum's metadata, which costs the first pool of a process milliseconds.
    public void UnlessDefined(string option, ThreadPriority priority)
    {
        if (priority is < ThreadPriority.Lowest or > ThreadPriority.Highest)
        {
            Add(option, priority, "between Lowest and Highest");
        }
    }

    public void UnlessDefined(string option, QueueFullMode mode)
    {
        if (mode is < QueueFullMode.Reject or > QueueFullMode.RunOnCaller)
        {
            Add(option, mode, "Reject, Wait or RunOnCaller");
        }
    }

    public void UnlessStackSize(string option, int bytes)
    {
        if (bytes is not 0 and < OptionRange.LeastStackSize)
        {
            Add(option, bytes, $"0, or {OptionRange.Of(OptionRange.LeastStackSize, int.MaxValue)}");
        }
    }

    public void Add(string option, object value, string range) =>
        _errors.Add(new OptionError(option, value, OptionRange.Message(option, value, range)));

    /// <exception cref="ArgumentOutOfRangeException">There is an error; the exception describes the first one.</exception>
    public void ThrowIfAny()
    {
        if (_errors.Count != 0)
        {
            throw new ArgumentOutOfRangeException(_errors[0].Option, _errors[0].Value, _errors[0].Message);
        }
    }

    // A class, because the framework already contains compiled code for lists of references.
    private sealed record OptionError(string Option, object? Value, string Message);
}
