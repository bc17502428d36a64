using NativeThreading.Tracing;

namespace NativeThreading.Diagnostics;

/// <summary>Listeners of a pool's measurements that threw. The first is written to the event source, and measuring continues. The
/// handler of unhandled exceptions is not asked, because no work item threw. Nor is the exception left unhandled, which would end
/// the process.</summary>
internal sealed class ListenerFailures(string pool)
{
    private int _isTold;

    public void Note(Exception exception)
    {
        if (Interlocked.Exchange(ref _isTold, 1) != 0)
        {
            return;
        }

        string text;
        try
        {
            text = exception.ToString();
        }
        catch (Exception)
        {
            text = exception.GetType().ToString(); // its own ToString throws
        }

        NativeThreadingEventSource.Log.ListenerFailed(pool, text);
    }
}
