using NativeThreading.Platform;

namespace NativeThreading.Starvation;

/// <summary>A thread that the monitor is to start for another thread, which waits for that.</summary>
/// <param name="start">Starts the thread. May throw.</param>
internal sealed class PendingStart(Func<Thread> start)
{
    private readonly TaskCompletionSource _started = new();
    private Thread? _thread; // before the task completes

    /// <summary>By the monitor.</summary>
    public void Run()
    {
        try
        {
            _thread = start();
            Completion.Set(_started);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            Completion.Fail(_started, exception);
        }
    }

    /// <summary>By the thread that asked. Throws what starting the thread has thrown.</summary>
    public Thread Wait()
    {
        Completion.Wait(_started.Task);
        return _thread!;
    }
}
