using System.Globalization;

namespace NativeThreading;

/// <summary>How values out of their range are told: each message names the option, its range and the value.</summary>
internal static class OptionRange
{
    /// <summary>
    /// The framework runs a task in place only while 128 KiB of stack are left, and a callback of the machinery is a few
    /// frames deep when it begins: as much again is for what runs.
    /// </summary>
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
