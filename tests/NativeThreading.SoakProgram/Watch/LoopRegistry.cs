namespace NativeThreading.SoakProgram.Watch;

/// <summary>Loops that have not been collected. Keeps none of them alive.</summary>
internal sealed class LoopRegistry
{
    private readonly Lock _lock = new();
    private readonly List<WeakReference<EventLoop>> _loops = [];

    /// <summary>Those that have not stopped.</summary>
    public List<EventLoop> Running
    {
        get
        {
            var loops = new List<EventLoop>();
            lock (_lock)
            {
                foreach (WeakReference<EventLoop> reference in _loops)
                {
                    if (reference.TryGetTarget(out EventLoop? loop) && loop.Thread is { IsAlive: true })
                    {
                        loops.Add(loop);
                    }
                }
            }

            return loops;
        }
    }

    public void Add(EventLoop loop)
    {
        lock (_lock)
        {
            _loops.RemoveAll(static reference => !reference.TryGetTarget(out EventLoop? loop) || loop.IsStopped);
            _loops.Add(new WeakReference<EventLoop>(loop));
        }
    }
}
