using System.Runtime.Loader;

namespace NativeThreading.Diagnostics;

/// <summary>Ends what the runtime refers to from its own statics, when this assembly's load context is unloaded: it would keep the
/// context alive for ever (T141).</summary>
internal static class LoadContextEnd
{
    /// <summary>Registers <paramref name="end"/> to be called when the unloading begins. Code of the context may run on after that.
    /// Everything still works for it, but nothing observes it.</summary>
    public static void Register(Action end)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LoadContextEnd).Assembly) is { IsCollectible: true } context)
        {
            context.Unloading += _ => end();
        }
    }
}
