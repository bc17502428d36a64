using System.Runtime.CompilerServices;

namespace NativeThreading.Limits;

/// <summary>
/// The context of an item that holds a place in a limited queue, around the context it would have otherwise. Items that
/// flow nothing share one: the limit costs them no object.
/// </summary>
internal sealed class AdmittedContext(QueuePlaces places, object? context)
{
    /// <summary>The item's own context.</summary>
    public object? Context { get; } = context;

    /// <summary>What is left of an item's context once it has left its place: called exactly once for each item that holds one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static object? Leave(object? context) => context is AdmittedContext admitted ? admitted.Leave() : context;

    /// <summary>The context without the place.</summary>
    public static object? Peel(object? context) => context is AdmittedContext admitted ? admitted.Context : context;

    private object? Leave()
    {
        places.Leave();
        return Context;
    }
}
