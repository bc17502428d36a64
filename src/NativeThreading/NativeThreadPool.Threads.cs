using NativeThreading.Platform;
using NativeThreading.Scheduling;
using NativeThreading.Starvation;
using NativeThreading.Tracing;

namespace NativeThreading;

// The threads of the pool: their start, their preparation before the first item, and the regions in which they block.
public sealed partial class NativeThreadPool
{
    private readonly ThreadCulture? _culture;
    private int _priorityRefused;
    private int _affinityRefused;

    /// <summary>
    /// Marks the calling worker as blocked until the region is disposed. Another worker may run in its place at once; the pool does not
    /// first have to detect that the worker is blocked.
    /// </summary>
    /// <returns>
    /// The region, which must be disposed on the same thread: <c>using (NativeThreadPool.EnterBlockingRegion()) { ... }</c>. Regions may be
    /// nested. In a callback of a loop with <c>EventLoopOptions.HandsOverWhenBlocked</c> another thread takes the
    /// loop over and keeps it. On any other thread the region has no effect.
    /// </returns>
    /// <remarks>
    /// Use it for waits of a millisecond or more: a shorter wait ends before another worker can take its place. The pool also works
    /// without regions; it then detects a blocked worker within a few milliseconds.
    /// </remarks>
    public static BlockingRegion EnterBlockingRegion() => new(Worker.Current);

    /// <summary>
    /// Starts threads until there are <see cref="MinThreads"/>, instead of starting them with the first items. A host
    /// does this before its server accepts connections.
    /// </summary>
    /// <returns>The number of threads that were started; 0 if there are enough.</returns>
    /// <exception cref="ObjectDisposedException">The pool is shutting down.</exception>
    /// <exception cref="OutOfMemoryException">A thread could not be started. Threads that were started before stay.</exception>
    public int StartMinThreads()
    {
        ThrowIfShutDown();
        return Roster.StartUpTo(MinThreads);
    }

    /// <summary>Starts a thread of the pool. Any thread may call this.</summary>
    internal void StartThread(ThreadStart main, string name) => ThreadLaunch.Start(main, name, _options.MaxStackSize, _options.ApartmentState);

    /// <summary>Sets the priority, the processors and the culture of the calling thread, which is a new thread of the pool.</summary>
    /// <returns>Whether the thread's execution context has changed.</returns>
    internal bool PrepareThread()
    {
        (int nice, int result) = ThreadNice.Apply(_options.ThreadPriority);
        if (result < 0 && Interlocked.Exchange(ref _priorityRefused, 1) == 0)
        {
            NativeThreadingEventSource.Log.PriorityRefused(Name, nice, -result);
        }

        if (_options.Processors is int[] processors && ThreadNice.SetProcessors(processors) is < 0 and var error && Interlocked.Exchange(ref _affinityRefused, 1) == 0)
        {
            NativeThreadingEventSource.Log.AffinityRefused(Name, string.Join(',', processors), -error);
        }

        _culture?.Begin();
        return _culture is not null;
    }

    /// <summary>On a new thread of the pool, before it runs anything.</summary>
    internal void ThreadStarts() => CallHook(_options.ThreadStarting, nameof(NativeThreadPoolOptions.ThreadStarting));

    /// <summary>On a thread of the pool that ends, and runs nothing more.</summary>
    internal void ThreadStops() => CallHook(_options.ThreadStopping, nameof(NativeThreadPoolOptions.ThreadStopping));

    private void CallHook(Action<NativeThreadPool>? hook, string option)
    {
        try
        {
            hook?.Invoke(this);
        }
        catch (Exception exception)
        {
            NativeThreadingEventSource.Log.ThreadHookFailed(Name, option, exception.ToString());
        }
    }
}
