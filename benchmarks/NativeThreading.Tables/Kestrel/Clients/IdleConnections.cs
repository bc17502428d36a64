using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Kestrel.Clients;

/// <summary>Connections that ask once, and then for nothing any more: held by another process of this program until this is disposed.</summary>
internal sealed class IdleConnections : IDisposable
{
    /// <summary>The first argument of that process.</summary>
    public const string Command = "idle-connections";

    private const string Ready = "ready";
    private const int OfOneAddress = 2_500; // the system has some 28,000 ports for each, and those of earlier runs take a minute to be free again

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private readonly Process _process;

    /// <summary>Returns when all of them have been answered.</summary>
    /// <exception cref="MeasurementException">They were not.</exception>
    public IdleConnections(Uri target, int count)
    {
        var start = new ProcessStartInfo(
            ThisProgram.Path, ThisProgram.With(Command, target.AbsoluteUri, count.ToString(CultureInfo.InvariantCulture)))
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
        if (_process.ReadLine(s_deadline, $"{count} connections were not there within {s_deadline.TotalSeconds} s.") != Ready)
        {
            Dispose();
            throw new MeasurementException($"{count} connections could not be made; see above.");
        }
    }

    /// <summary>In that process.</summary>
    public static int Answer(Uri target, int count)
    {
        var sockets = new List<Socket>(count);
        while (sockets.Count < count)
        {
            Socket socket = ClientSocket.Connect(target, IPAddress.Parse($"127.0.0.{1 + (sockets.Count / OfOneAddress)}"));
            sockets.Add(socket);
            ClientSocket.Ask(socket, target);
        }

        Console.WriteLine(Ready);
        Console.Out.Flush();
        Console.In.ReadToEnd();
        foreach (Socket socket in sockets)
        {
            socket.Dispose();
        }

        return 0;
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(s_deadline))
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
