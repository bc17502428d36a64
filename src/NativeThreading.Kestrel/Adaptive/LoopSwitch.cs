using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>To be awaited: what follows runs on a loop. For async methods, which carry the execution context themselves.</summary>
/// <param name="loop">The loop's context, whose posts are never refused.</param>
[SuppressMessage("Performance", "CA1822", Justification = "The awaiter pattern.")]
internal readonly struct LoopSwitch(SynchronizationContext loop) : ICriticalNotifyCompletion
{
    private static readonly SendOrPostCallback s_continue = static continuation => ((Action)continuation!)();

    private readonly SynchronizationContext _loop = loop;

    public bool IsCompleted => false;

    public LoopSwitch GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => _loop.Post(s_continue, continuation);
}
