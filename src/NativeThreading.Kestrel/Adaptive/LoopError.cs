using System.Runtime.ExceptionServices;

namespace NativeThreading.Kestrel.Adaptive;

/// <summary>An error of code that runs on the runtime's pool for a connection of a loop. There it would end the process; the loop has a handler.</summary>
internal static class LoopError
{
    private static readonly SendOrPostCallback s_throw = static error => ((ExceptionDispatchInfo)error!).Throw();

    public static void Throw(SynchronizationContext loop, Exception exception) => loop.Post(s_throw, ExceptionDispatchInfo.Capture(exception));
}
