using System.ComponentModel.DataAnnotations;
using System.Globalization;

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

    public void UnlessDefined(string option, ItemRecording recording)
    {
        if (recording is not (ItemRecording.WhenObserved or ItemRecording.Always))
        {
            Add(option, recording, "WhenObserved or Always");
        }
    }

    public void UnlessDefined(string option, ApartmentState state)
    {
        if (state is < ApartmentState.STA or > ApartmentState.Unknown)
        {
            Add(option, state, "STA, MTA or Unknown");
        }
    }

    public void UnlessProcessors(string option, IReadOnlyList<int>? processors)
    {
        if (processors is null)
        {
            return;
        }

        var seen = new HashSet<int>();
        bool isValid = processors.Count > 0;
        for (int i = 0; isValid && i < processors.Count; i++)
        {
            isValid = processors[i] is >= 0 and < 8_192 && seen.Add(processors[i]);
        }

        if (!isValid)
        {
            Add(option, $"[{string.Join(", ", processors)}]", "different numbers between 0 and 8191, or null");
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

/// <summary>The messages for values that are out of range. Each names the option, the range and the value.</summary>
internal static class OptionRange
{
    /// <summary>The smallest stack. The framework runs a task inline only while 128 KiB are left; another 128 KiB are for the frames
    /// below a callback and for the callback itself.</summary>
    public const int LeastStackSize = 256 * 1024;

    public static void ThrowUnlessInRange(string name, int value, int least, int most)
    {
        if (value < least || value > most)
        {
            throw Error(name, value, Of(least, most));
        }
    }

    // ThrowIfLessThan<TimeSpan> of the framework would be compiled when the process starts its first thread.
    public static void ThrowIfNegative(string name, TimeSpan value)
    {
        if (value < TimeSpan.Zero)
        {
            throw Error(name, value, "0 or more, or Timeout.InfiniteTimeSpan");
        }
    }

    public static string Of(int least, int most) => string.Create(CultureInfo.InvariantCulture, $"between {least} and {most}");

    public static string Message(string name, object value, string range) =>
        string.Create(CultureInfo.InvariantCulture, $"{name} must be {range}, but was {value}.");

    public static ArgumentOutOfRangeException Error(string name, object value, string range) =>
        new(name, value, Message(name, value, range));
}
