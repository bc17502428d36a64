using System.Runtime.CompilerServices;
using NativeThreading.Platform;

namespace NativeThreading.Instrumentation;

/// <summary>The points that were passed so far, each with a number. A name is a literal, so it is known by its reference.</summary>
internal static class ChaosPoints
{
    private const int Slots = 4096; // many times more than there are points

    private static readonly UninterruptedLock s_lock = new();
    private static readonly Entry?[] s_table = new Entry?[Slots];
    private static readonly string[] s_names = new string[Slots / 2];
    private static int s_count;

    private sealed record Entry(string Name, int Number);

    /// <summary>How many are known.</summary>
    public static int Count => Volatile.Read(ref s_count);

    /// <summary>The number of a point; the next one if it is new.</summary>
    public static int NumberOf(string name)
    {
        for (int slot = RuntimeHelpers.GetHashCode(name); ; slot++)
        {
            Entry? entry = Volatile.Read(ref s_table[slot & (Slots - 1)]);
            if (entry is null)
            {
                return Add(name);
            }

            if (ReferenceEquals(entry.Name, name))
            {
                return entry.Number;
            }
        }
    }

    /// <summary>Whether the name of a point contains a text.</summary>
    public static bool IsNamed(int number, string text) => s_names[number].Contains(text, StringComparison.Ordinal);

    private static int Add(string name)
    {
        using (s_lock.EnterScope())
        {
            int slot = RuntimeHelpers.GetHashCode(name) & (Slots - 1);
            while (s_table[slot] is { } entry)
            {
                if (ReferenceEquals(entry.Name, name))
                {
                    return entry.Number; // another thread was first
                }

                slot = (slot + 1) & (Slots - 1);
            }

            s_names[s_count] = name;
            Volatile.Write(ref s_table[slot], new Entry(name, s_count));
            Volatile.Write(ref s_count, s_count + 1);
            return s_count - 1;
        }
    }
}
