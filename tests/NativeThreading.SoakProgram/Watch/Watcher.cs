using System.Runtime.InteropServices;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>The thread that watches over deadlines. It waits for no other thread; a phase that hangs ends the process with all that can be known.</summary>
internal sealed partial class Watcher : IDisposable
{
    /// <summary>The exit code of a soak that hangs.</summary>
    public const int HangExitCode = 3;

    private static readonly TimeSpan s_reportTime = TimeSpan.FromSeconds(30);

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
                Report(overdue);
                _exit(HangExitCode); // not Environment.Exit, which runs handlers and may hang as well
            }

            if (i % 20 == 0)
            {
                _stopper?.Beat();
            }

            Thread.Sleep(50);
        }
    }

    /// <summary>On another thread, for the report asks pools whose locks may be what hangs.</summary>
    private void Report(string overdue)
    {
        var thread = new Thread(() => _report(overdue)) { Name = "soak report", IsBackground = true };
        thread.Start();
        if (!thread.Join(s_reportTime))
        {
            Console.Error.WriteLine($"hang: {overdue}; the report has hung as well");
        }
    }

    [LibraryImport("libc")]
    private static partial void _exit(int code);
}
