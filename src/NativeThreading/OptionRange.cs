using System.Globalization;

namespace NativeThreading;

/// <summary>The checks that options share; each message names the option, its range and the value.</summary>
internal static class OptionRange
{
    private const int LeastStackSize = 16 * 1024;

    public static void ThrowUnlessInRange(string name, int value, int least, int most)
    {
        if (value < least || value > most)
        {
            throw Error(name, value, string.Create(CultureInfo.InvariantCulture, $"{least} to {most}"));
        }
    }

    public static void ThrowUnlessDefined(string name, ThreadPriority priority)
    {
        if (!Enum.IsDefined(priority))
        {
            throw Error(name, priority, "Lowest to Highest");
        }
    }

    public static void ThrowUnlessStackSize(string name, int bytes)
    {
        if (bytes != 0)
        {
            ThrowUnlessInRange(name, bytes, LeastStackSize, int.MaxValue);
        }
    }

    public static ArgumentOutOfRangeException Error(string name, object value, string range) =>
        new(name, value, string.Create(CultureInfo.InvariantCulture, $"{name} must be {range}, but is {value}."));
}
