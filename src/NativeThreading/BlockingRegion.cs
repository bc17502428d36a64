using NativeThreading.Diagnostics;
using NativeThreading.Scheduling;

namespace NativeThreading;

/// <summary>Code that is known to block. Until it ends another worker may run in place of the calling one, or another thread drive the loop. Obtained from
/// <see cref="NativeThreadPool.EnterBlockingRegion"/>, ended by <see cref="Dispose"/> on the same thread.</summary>
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

    /// <summary>Ends the region; regions end in the reverse order in which they began. Call it once.</summary>
    public void Dispose() => _worker?.Blocking.LeaveRegion();
}
