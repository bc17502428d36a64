using System.Diagnostics;

namespace NativeThreading.Tables.Harness;

/// <summary>Says how far a table is: one line that rewrites itself on a terminal, otherwise a line on standard error every few seconds, so that a
/// redirected table stays clean.</summary>
internal sealed class Progress(string table)
{
    private static readonly TimeSpan RedrawInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LineInterval = TimeSpan.FromSeconds(5);

    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private TimeSpan _next;
    private bool _drawn;

    public void Show(string phase, int done, int total)
    {
        if (_clock.Elapsed < _next)
        {
            return;
        }

        _next = _clock.Elapsed + (Terminal.IsInteractive ? RedrawInterval : LineInterval);
        string line = $"{table}: {phase}, {done * 100 / total} %, {_clock.Elapsed.TotalSeconds:0} s";
        if (Terminal.IsInteractive)
        {
            Console.Write($"\r\e[K{line}");
            _drawn = true;
        }
        else
        {
            Console.Error.WriteLine(line);
        }
    }

    public void Clear()
    {
        if (_drawn)
        {
            Console.Write("\r\e[K");
            _drawn = false;
        }
    }
}
