using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>Which item each thread is in, by the system's thread id: what stands in for stacks in the report of a hang.</summary>
internal static partial class Whereabouts
{
    private static readonly ConcurrentDictionary<int, (string Item, long Since)> s_places = [];

    [ThreadStatic]
    private static int t_id;

    /// <summary>The calling thread is in an item until <see cref="Leave"/>.</summary>
    public static (string, long)? Enter(string item)
    {
        (string, long)? outer = s_places.TryGetValue(Id, out (string, long) place) ? place : null;
        s_places[Id] = (item, Environment.TickCount64);
        return outer;
    }

    /// <param name="outer">What <see cref="Enter"/> returned.</param>
    public static void Leave((string, long)? outer)
    {
        if (outer is { } place)
        {
            s_places[Id] = place;
        }
        else
        {
            s_places.TryRemove(Id, out _);
        }
    }

    public static string? Of(int thread) =>
        s_places.TryGetValue(thread, out var place) ? $"{place.Item}, for {Environment.TickCount64 - place.Since} ms" : null;

    private static int Id => t_id != 0 ? t_id : t_id = gettid();

    [LibraryImport("libc")]
    private static partial int gettid();
}
