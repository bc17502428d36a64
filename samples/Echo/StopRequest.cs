using System.Runtime.InteropServices;

namespace NativeThreading.Samples.Echo;

/// <summary>When to stop: at the end of standard input, at SIGTERM or at Ctrl+C.</summary>
internal static class StopRequest
{
    public static async Task Received()
    {
        var received = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var term = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);

        // A separate thread: a blocking read on the built-in pool would take one of its workers away.
        new Thread(ReadInput) { IsBackground = true, Name = "standard input" }.Start();
        await received.Task;

        void Stop(PosixSignalContext context)
        {
            context.Cancel = true;
            received.TrySetResult();
        }

        void ReadInput()
        {
            using Stream input = Console.OpenStandardInput();
            Span<byte> ignored = stackalloc byte[256];
            while (input.Read(ignored) > 0)
            {
            }

            received.TrySetResult();
        }
    }
}
