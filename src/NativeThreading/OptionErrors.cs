using System.ComponentModel.DataAnnotations;

namespace NativeThreading;

/// <summary>The errors of a set of options: a constructor throws the first, validation returns all.</summary>
internal sealed class OptionErrors
{
    private readonly List<OptionError> _errors = [];

    /// <summary>For validation by frameworks: one result for each option, with a message that names it, its range and its value.</summary>
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
            Add(option, value is null ? "null" : $"'{value}'", "a name of at least one character that is no white space");
        }
    }

    // Enum.IsDefined reads the enum's metadata, which takes the first pool of a process milliseconds.
    public void UnlessDefined(string option, ThreadPriority priority)
    {
        if (priority is < ThreadPriority.Lowest or > ThreadPriority.Highest)
        {
            Add(option, priority, "Lowest to Highest");
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
            Add(option, bytes, $"0 or {OptionRange.Of(OptionRange.LeastStackSize, int.MaxValue)}");
        }
    }

    public void Add(string option, object value, string range) => _errors.Add(new OptionError(option, value, range));

    /// <exception cref="ArgumentOutOfRangeException">There is an error; this is the first.</exception>
    public void ThrowIfAny()
    {
        if (_errors.Count != 0)
        {
            throw OptionRange.Error(_errors[0].Option, _errors[0].Value, _errors[0].Range);
        }
    }

    // A class: the framework has the code of lists of references.
    private sealed record OptionError(string Option, object Value, string Range)
    {
        public string Message => OptionRange.Message(Option, Value, Range);
    }
}
