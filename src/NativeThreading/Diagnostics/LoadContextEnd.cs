using System.Runtime.Loader;

namespace NativeThreading.Diagnostics;

/// <summary>
/// What is to end with the load context of this assembly, where that can be unloaded: what the runtime keeps of ours in
/// its own statics would keep the context for ever (T141).
/// </summary>
internal static class LoadContextEnd
{
    /// <summary>
    /// Has <paramref name="end"/> called when the unloading begins. Code of the context may run on after that, and finds
    /// everything usable, but unobserved.
    /// </summary>
    public static void Register(Action end)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LoadContextEnd).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ => end();
        }
    }
}
