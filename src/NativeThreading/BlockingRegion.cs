using NativeThreading.Diagnostics;
using NativeThreading.Scheduling;

namespace NativeThreading;

/// <summary>A region of code that is known to block. Until the region ends, another worker may run in place of the calling one, or another thread may drive the
/// event loop. <see cref="NativeThreadPool.EnterBlockingRegion"/> returns it; <see cref="Dispose"/> ends it, on the same thread.</summary>
/// <example>
/// <code>
/// using (NativeThreadPool.EnterBlockingRegion())
/// {
///     File.ReadAllText("/mnt/share/report.txt"); // a slow file
/// }
/// </code>
/// </example>
public readonly ref struct BlockingRegion
{
    private readonly Worker? _worker;

    internal BlockingRegion(Worker? worker)
    {
        _worker = worker;
        if (worker is not null)
        {
            worker.Blocking.EnterRegion();
        }
        else
        {
            LoopHook.Installed?.Relieve();
        }
    }

    /// <summary>Ends the region. Call it once, on the thread that entered the region. Nested regions end in the reverse order of their start.</summary>
    public void Dispose() => _worker?.Blocking.LeaveRegion();
}
