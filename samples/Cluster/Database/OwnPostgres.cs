using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace NativeThreading.Samples.Cluster;

/// <summary>A PostgreSQL of one run: in a directory under the temporary one, on a free port of 127.0.0.1.</summary>
internal sealed class OwnPostgres : IAsyncDisposable
{
    // The shell's standard input ends when this process closes it or dies. Then the server stops at once, as in a crash.
    private const string Server = """exec 3<&0; "$@" > /dev/null 2>&1 & server=$!; { cat <&3 > /dev/null; kill -QUIT $server; } & wait $server""";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly string _directory = Directory.CreateTempSubdirectory("cluster-sample-").FullName;
    private readonly int _port = FreePort();
    private readonly string _programs;
    private Process? _process;

    private OwnPostgres(string programs) => _programs = programs;

    public string ConnectionString => new NpgsqlConnectionStringBuilder { Host = "127.0.0.1", Port = _port, Username = "cluster", Database = "postgres" }.ConnectionString;

    /// <summary>Where Debian has the programs of the server, which are not in PATH; those of the highest version, by number.</summary>
    private static string? Programs => Directory.Exists("/usr/lib/postgresql")
        ? Directory.GetDirectories("/usr/lib/postgresql")
            .OrderByDescending(version => double.TryParse(Path.GetFileName(version), CultureInfo.InvariantCulture, out double number) ? number : 0)
            .Select(version => Path.Combine(version, "bin"))
            .FirstOrDefault(bin => File.Exists(Path.Combine(bin, "initdb")))
        : null;

    private string Data => Path.Combine(_directory, "data");

    /// <summary>Null where PostgreSQL is not installed.</summary>
    public static async Task<OwnPostgres?> StartAsync()
    {
        if (Programs is not { } programs)
        {
            return null;
        }

        var server = new OwnPostgres(programs);
        if (Environment.IsPrivilegedProcess)
        {
            await RunAsync(["chown", "postgres", server._directory]);
        }

        await RunAsync(server.Unprivileged("initdb", "-D", server.Data, "-U", "cluster", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"));
        await server.StartServerAsync();
        return server;
    }

    /// <summary>As a crash: nobody is waited for.</summary>
    public async Task RestartAsync()
    {
        await StopServerAsync();
        await StartServerAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await StopServerAsync();
        Directory.Delete(_directory, recursive: true);
    }

    private async Task StartServerAsync()
    {
        // fsync guards only against a crash of the machine, with which this cluster ends anyway.
        string[] postgres = Unprivileged(
            "postgres", "-D", Data, "-p", $"{_port}", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=200");
        _process = Process.Start(new ProcessStartInfo("/bin/sh", ["-c", Server, "sh", .. postgres]) { RedirectStandardInput = true })!;
        await using NpgsqlDataSource source = NpgsqlDataSource.Create($"{ConnectionString};Pooling=false");
        for (long began = Stopwatch.GetTimestamp(); ;)
        {
            try
            {
                await using NpgsqlConnection connection = await source.OpenConnectionAsync();
                return;
            }
            catch (NpgsqlException) when (!_process.HasExited && Stopwatch.GetElapsedTime(began) < s_patience)
            {
                await Task.Delay(50); // it is still starting
            }
        }
    }

    private async Task StopServerAsync()
    {
        if (_process is { } process)
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync();
            process.Dispose();
        }
    }

    /// <summary>PostgreSQL refuses to run as root.</summary>
    private string[] Unprivileged(string program, params string[] arguments)
    {
        string[] command = [Path.Combine(_programs, program), .. arguments];
        return Environment.IsPrivilegedProcess ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", .. command] : command;
    }

    private static async Task RunAsync(string[] command)
    {
        using Process process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true })!;
        await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"{string.Join(' ', command)} ended with {process.ExitCode}.");
        }
    }

    // Below the range from which the system takes the ports of clients (32768 and up on Linux): one of those could take the server's
    // while it restarts, even a client that calls it.
    private static int FreePort()
    {
        for (; ;)
        {
            using var listener = new TcpListener(IPAddress.Loopback, Random.Shared.Next(20_000, 32_768));
            try
            {
                listener.Start();
                return ((IPEndPoint)listener.LocalEndpoint).Port;
            }
            catch (SocketException)
            {
                // taken
            }
        }
    }
}
