using System.Diagnostics;
using System.Globalization;
using Npgsql;

namespace NativeThreading.Samples.Cluster;

/// <summary>A PostgreSQL of one run: in a directory under the temporary one, in which its socket lies, too.</summary>
internal sealed class OwnPostgres : IAsyncDisposable
{
    // The shell's standard input ends when this process closes it or dies. Then the server stops at once, as in a crash.
    private const string Server = """exec 3<&0; "$@" > /dev/null 2>&1 & server=$!; { cat <&3 > /dev/null; kill -QUIT $server; } & wait $server""";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly string _directory = Directory.CreateTempSubdirectory("cluster-sample-").FullName;
    private readonly string _programs;
    private Process? _process;

    private OwnPostgres(string programs) => _programs = programs;

    // A local socket: a round trip costs less processor time than one by TCP, and no other program can have its address.
    public string ConnectionString => new NpgsqlConnectionStringBuilder { Host = _directory, Username = "cluster", Database = "postgres" }.ConnectionString;

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

    /// <summary>As a crash: no process is waited for.</summary>
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
            "postgres", "-D", Data, "-c", "listen_addresses=", "-c", $"unix_socket_directories={_directory}", "-c", "fsync=off", "-c", "max_connections=200");
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
}
