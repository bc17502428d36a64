using System.Diagnostics;
using System.Globalization;
using NativeThreading.SoakProgram.Plan;
using NativeThreading.SoakProgram.Watch;
using NativeThreading.Tables.Processes;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>
/// Another process, which stops this one as a whole now and then, and gets a sign of life from this one every second: if even
/// the thread that watches over deadlines stands still, that process reports that and ends this one.
/// </summary>
internal sealed class Stopper : IDisposable
{
    /// <summary>The first argument of that process; the process to stop, a seed, and the factor of deadlines follow.</summary>
    public const string Command = "soak-stopper";

    private readonly Process _process;
    private readonly Thread _reader;
    private int _stops;

    public Stopper(SoakClock clock, ulong seed, double slow)
    {
        string[] command = ThisProgram.With(
            Command,
            Environment.ProcessId.ToString(CultureInfo.InvariantCulture),
            Dice.Derive(seed, ulong.MaxValue).ToString(CultureInfo.InvariantCulture),
            slow.ToString(CultureInfo.InvariantCulture));
        _process = Process.Start(new ProcessStartInfo(ThisProgram.Path, command) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
        _reader = new Thread(() =>
        {
            while (_process.StandardOutput.ReadLine() is { } line)
            {
                clock.WasStopped(TimeSpan.FromMilliseconds(double.Parse(line, CultureInfo.InvariantCulture)));
                Interlocked.Increment(ref _stops);
            }
        }) { Name = "soak stops", IsBackground = true };
        _reader.Start();
    }

    /// <summary>How often this process was stopped.</summary>
    public int Stops => Volatile.Read(ref _stops);

    /// <summary>This process lives.</summary>
    public void Beat()
    {
        try
        {
            _process.StandardInput.WriteLine();
            _process.StandardInput.Flush();
        }
        catch (IOException)
        {
            // That process has ended; then nothing stops this one any more.
        }
    }

    public void Dispose()
    {
        try
        {
            _process.StandardInput.Dispose();
        }
        catch (IOException)
        {
            // As above.
        }

        if (!_process.WaitForExit(TimeSpan.FromSeconds(10)))
        {
            _process.Kill();
        }

        _reader.Join();
        _process.Dispose();
    }
}
