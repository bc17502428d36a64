namespace NativeThreading.Diagnostics;

/// <summary>
/// Listeners of a pool's measurements that threw. The first one is told of; measuring goes on. Not for the handler of unhandled
/// exceptions, for no work item threw it, and not unhandled, for to look at a pool must not end it.
/// </summary>
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
            text = exception.GetType().ToString(); // it throws even when it is looked at
        }

        NativeThreadingEventSource.Log.ListenerFailed(pool, text);
    }
}
