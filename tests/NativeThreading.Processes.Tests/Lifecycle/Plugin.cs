using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace NativeThreading.Processes.Tests.Lifecycle;

/// <summary>
/// The library and these tests once more, in a load context that can be unloaded: statics, threads and native library of
/// its own, as those of a plug-in.
/// </summary>
internal sealed class Plugin() : AssemblyLoadContext(nameof(Plugin), isCollectible: true)
{
    private static readonly Assembly[] s_own = [typeof(NativeThreadPool).Assembly, typeof(EventLoop).Assembly, typeof(Plugin).Assembly];

    /// <summary>Calls a static method of these tests inside a plug-in and unloads it. What is returned tells whether it has gone.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static WeakReference RunAndUnload(Action inside)
    {
        var plugin = new Plugin();
        plugin.Find(inside)();
        plugin.Unload();
        return new WeakReference(plugin, trackResurrection: true);
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName assemblyName) =>
        s_own.FirstOrDefault(own => own.GetName().Name == assemblyName.Name) is { } assembly ? LoadFromAssemblyPath(assembly.Location) : null;

    private Action Find(Action method) => LoadFromAssemblyPath(typeof(Plugin).Assembly.Location)
        .GetType(method.Method.DeclaringType!.FullName!, throwOnError: true)!
        .GetMethod(method.Method.Name, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)!
        .CreateDelegate<Action>();
}
