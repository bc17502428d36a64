using System.IO.Pipes;

namespace NativeThreading.Processes.Tests.EventLoops.Shutdown;

/// <summary>Where on a loop an exception can come from.</summary>
internal static class LoopCrashSources
{
    public static void ThrowFrom(EventLoop loop, string source)
    {
        static void Throw() => throw new InvalidTimeZoneException(LoopCrashChildren.Message);
        switch (source)
        {
            case "callback":
                loop.Post(static _ => Throw(), null);
                break;
            case "timer":
                new EventLoopTimer(loop, static _ => Throw(), null).Arm(TimeSpan.FromMilliseconds(1));
                break;
            case "handler":
                var reader = new AnonymousPipeServerStream(PipeDirection.In);
                loop.Register(reader.SafePipeHandle, EventLoopInterest.Read, static (_, _) => Throw(), null);
                new AnonymousPipeClientStream(PipeDirection.Out, reader.ClientSafePipeHandle).Write([1]);
                break;
            case "async void":
                loop.Post(static _ => Method(), null);
                break;
            case "completion":
                loop.Offload(new NativeThreadPool(), static _ => { }, static _ => Throw(), null);
                break;
            case "continuation":
                loop.SynchronizationContext.Post(static _ => Throw(), null);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(source), source, null);
        }

        static async void Method()
        {
            await Task.Yield();
            Throw();
        }
    }
}
