using System.Runtime.InteropServices;

namespace NativeThreading.Tables.Soak.Watch;

/// <summary>The thread that watches over deadlines. It waits for nobody; a phase that hangs ends the process with all that can be known.</summary>
internal sealed partial class Watcher : IDisposable
{
    /// <summary>The exit code of a soak that hangs.</summary>
    public const int HangExitCode = 3;

    private readonly SoakRun _soak;
    private readonly Action<string> _report;
    private readonly Stopper? _stopper;
    private readonly Thread _thread;
    private bool _isOver;

    /// <param name="soak">The soak.</param>
    /// <param name="report">Told of the phase that hangs; the process ends behind it.</param>
    /// <param name="stopper">Told that the process lives.</param>
    public Watcher(SoakRun soak, Action<string> report, Stopper? stopper)
    {
        (_soak, _report, _stopper) = (soak, report, stopper);
        _thread = new Thread(Run) { Name = "soak watcher", IsBackground = true, Priority = ThreadPriority.AboveNormal };
        _thread.Start();
    }

    public void Dispose()
    {
        Volatile.Write(ref _isOver, true);
        _thread.Join();
    }

    private void Run()
    {
        for (int i = 0; !Volatile.Read(ref _isOver); i++)
        {
            if (_soak.Deadlines.FindOverdue() is { } overdue)
            {
                _soak.Verdict.Fail($"hang: {overdue}");
                _report(overdue);
                _exit(HangExitCode); // not Environment.Exit, which runs handlers and may hang as well
            }

            if (i % 20 == 0)
            {
                _stopper?.Beat();
            }

            Thread.Sleep(50);
        }
    }

    [LibraryImport("libc")]
    private static partial void _exit(int code);
}
