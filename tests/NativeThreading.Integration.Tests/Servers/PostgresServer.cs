using Npgsql;

namespace NativeThreading.Integration.Servers;

/// <summary>PostgreSQL with an empty cluster. It does not run as root: then it runs as postgres, or as the user without rights.</summary>
public sealed class PostgresServer : ThrowawayServer
{
    /// <summary>So few that a thousand operations also wait for one another.</summary>
    public const int Connections = 20;

    private readonly string? _postgres;
    private readonly string? _initdb;
    private NpgsqlDataSource? _source;

    public PostgresServer()
    {
        // Where Debian has them, the newest first.
        string[] directories = System.IO.Directory.Exists("/usr/lib/postgresql")
            ? [.. System.IO.Directory.GetDirectories("/usr/lib/postgresql")
                .OrderByDescending(directory => int.TryParse(Path.GetFileName(directory), out int version) ? version : 0)
                .Select(directory => Path.Combine(directory, "bin"))]
            : [];
        _postgres = Programs.Find("postgres", directories);
        _initdb = Programs.Find("initdb", directories);
    }

    public NpgsqlDataSource Source => _source!;

    private static string User =>
        File.ReadLines("/etc/passwd").Any(line => line.StartsWith("postgres:", StringComparison.Ordinal)) ? "postgres" : "nobody";

    protected override string? Missing() => _postgres is null || _initdb is null
        ? "PostgreSQL is not installed (apt-get install postgresql)."
        : Environment.IsPrivilegedProcess && Programs.Find("setpriv") is null
            ? "PostgreSQL does not run as root, and setpriv is not there to run it as another user (apt-get install util-linux)."
            : null;

    private protected override async Task<ServerProcess> StartAsync()
    {
        string data = Path.Combine(Directory, "data");
        if (Environment.IsPrivilegedProcess)
        {
            await Programs.RunAsync("chown", User, Directory);
        }

        await Programs.RunAsync(
            Unprivileged([_initdb!, "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]));
        return await ServerProcess.StartAsync(port => Unprivileged(
        [
            _postgres!, "-D", data, "-p", $"{port}", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
            "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "lc_messages=C",
        ]));
    }

    protected override async Task ConnectAsync()
    {
        _source = NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder
        {
            Host = "127.0.0.1",
            Port = Port,
            Username = "test",
            Database = "postgres",
            MaxPoolSize = Connections,
            Timeout = (int)Deadline.Time.TotalSeconds,
        });
        await using NpgsqlCommand probe = _source.CreateCommand("SELECT 1");
        Assert.Equal(1, await Deadline.For(probe.ExecuteScalarAsync()));
    }

    protected override ValueTask DisconnectAsync() => _source?.DisposeAsync() ?? default;

    private static string[] Unprivileged(string[] command) => !Environment.IsPrivilegedProcess
        ? command
        : [Programs.Find("setpriv")!, $"--reuid={User}", $"--regid={(User == "nobody" ? "nogroup" : User)}", "--clear-groups", .. command];
}

[CollectionDefinition]
public sealed class PostgresCollection : ICollectionFixture<PostgresServer>;
