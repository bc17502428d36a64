using System.Runtime.CompilerServices;

namespace NativeThreading.Platform;

/// <summary>Whether the calling thread has stack left to run somebody else's code in place.</summary>
internal static class StackSpace
{
    /// <summary>With a margin: the framework asks again a few frames deeper before it runs a task in place, and would queue it and
    /// block for it instead (T136).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    public static unsafe bool IsLeft()
    {
        byte* margin = stackalloc byte[16 * 1024];
        Volatile.Write(ref *margin, 0); // or it would not be allocated
        return RuntimeHelpers.TryEnsureSufficientExecutionStack();
    }
}
