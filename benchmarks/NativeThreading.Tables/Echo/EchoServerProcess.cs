using System.Diagnostics;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Echo;

/// <summary>A server in a process of its own, for the whole table. All servers keep one protocol: the first line of their output is their port, they
/// stop at the end of their input, and the last line says what they did.</summary>
internal sealed class EchoServerProcess : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(20);

    private readonly Process _process;

    public EchoServerProcess(string name, ProcessStartInfo start)
    {
        Name = name;
        _process = Process.Start(start)!;
        Port = ReadLine("its port");
    }

    public string Name { get; }

    public string Port { get; }

    public int Id => _process.Id;

    /// <summary>Messages and bytes that the load has got back from it.</summary>
    public (long Messages, long Bytes) Echoed { get; private set; }

    public void Count(LoadResult load) => Echoed = (Echoed.Messages + load.Total, Echoed.Bytes + load.TotalBytes);

    /// <exception cref="MeasurementException">It did not do what it was timed for (T122).</exception>
    public ServerReport Stop()
    {
        _process.StandardInput.Close();
        var report = ServerReport.Parse(ReadLine("its report"));
        if ((report.Messages, report.Bytes) != Echoed)
        {
            throw new MeasurementException(
                $"{Name} says that it echoed {report.Messages} messages, {report.Bytes} bytes; the load saw {Echoed.Messages}, {Echoed.Bytes}.");
        }

        return report;
    }

    public void Dispose()
    {
        if (!_process.HasExited && !_process.WaitForExit(TimeSpan.FromSeconds(1)))
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private string ReadLine(string what)
    {
        string missing = $"the server {Name} did not print {what}.";
        return _process.ReadLine(s_deadline, missing) ?? throw new MeasurementException(missing);
    }
}
