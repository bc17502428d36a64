using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace NativeThreading.Platform;

/// <summary>When this assembly's load context is unloaded, ends the objects to which the statics of the runtime refer. They would keep the context
/// alive indefinitely (T141).</summary>
internal static class LoadContextEnd
{
    /// <summary>Whether this assembly's load context can be unloaded.</summary>
    public static bool IsPossible => typeof(LoadContextEnd).Assembly.IsCollectible;

    /// <summary>Registers <paramref name="end"/> to be called when the unloading starts. Code of the context may continue to run. Everything still
    /// works for it, but is not observed.</summary>
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
