using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>
/// Where answers are sent of a connection whose application runs on its loop: there, or, where that has awaited something and went on on the
/// runtime's pool, there behind the code that has flushed. A loop that is awake would send at once, and the end of the answer for itself.
/// </summary>
/// <param name="application">Where the application begins.</param>
internal sealed class SenderScheduler(ConnectionScheduler application) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        if (application.IsOnLoop && Thread.CurrentThread.IsThreadPoolThread)
        {
            System.Threading.ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: true);
        }
        else
        {
            application.Schedule(action, state);
        }
    }
}
