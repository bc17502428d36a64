using System.Globalization;

namespace NativeThreading;

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
