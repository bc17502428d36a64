namespace NativeThreading.Diagnostics;

/// <summary>The event loops of the process, for observers. It keeps none of them alive.</summary>
internal static class LoopRegistry
{
    private static readonly WeakList<EventLoop> s_loops = new();

    /// <summary>A snapshot of the loops, including stopped ones that are still referenced.</summary>
    public static List<EventLoop> Loops => s_loops.Items;

    /// <inheritdoc cref="WeakList{T}.Add"/>
    public static int Add(EventLoop loop) => s_loops.Add(loop);
}
