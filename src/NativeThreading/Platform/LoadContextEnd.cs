using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace NativeThreading.Platform;

/// <summary>Ends what the runtime refers to from its own statics, when this assembly's load context is unloaded: it would keep the
/// context alive indefinitely (T141).</summary>
internal static class LoadContextEnd
{
    /// <summary>Whether this assembly's load context can be unloaded.</summary>
    public static bool IsPossible => typeof(LoadContextEnd).Assembly.IsCollectible;

    /// <summary>Registers <paramref name="end"/> to be called when the unloading begins. Code of the context may run on after that.
    /// Everything still works for it, but nothing observes it.</summary>
    public static void Register(Action end)
    {
        if (IsPossible)
        {
            Subscribe(end);
        }
    }

    /// <summary>A method of its own, because it makes the runtime load one more assembly.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Subscribe(Action end) =>
        AssemblyLoadContext.GetLoadContext(typeof(LoadContextEnd).Assembly)!.Unloading += _ => end();
}
