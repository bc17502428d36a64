using System.Globalization;

namespace NativeThreading;

/// <summary>The messages for values out of their range: each names the option, its range and the value.</summary>
internal static class OptionRange
{
    /// <summary>The least size of a stack. The framework runs a task in place only while 128 KiB are left. As much again is for the frames
    /// below a callback and for the callback itself.</summary>
    public const int LeastStackSize = 256 * 1024;

    public static void ThrowUnlessInRange(string name, int value, int least, int most)
    {
        if (value < least || value > most)
        {
            throw Error(name, value, Of(least, most));
        }
    }

    public static string Of(int least, int most) => string.Create(CultureInfo.InvariantCulture, $"{least} to {most}");

    public static string Message(string name, object value, string range) =>
        string.Create(CultureInfo.InvariantCulture, $"{name} must be {range}, but is {value}.");

    public static ArgumentOutOfRangeException Error(string name, object value, string range) =>
        new(name, value, Message(name, value, range));
}
