using StackExchange.Redis;

namespace NativeThreading.Integration.Servers;

/// <summary>Redis without a file on disk.</summary>
public sealed class RedisServer : ThrowawayServer
{
    private readonly string? _redis = Programs.Find("redis-server");
    private ConnectionMultiplexer? _connection;

    public ConnectionMultiplexer Connection => _connection!;

    /// <summary>Where it listens.</summary>
    public string EndPoint => $"127.0.0.1:{Port}";

    protected override string? Missing() =>
        _redis is null ? "Redis is not installed (apt-get install redis-server)." : null;

    private protected override Task<ServerProcess> StartAsync() => ServerProcess.StartAsync(port =>
    [
        _redis!, "--port", $"{port}", "--bind", "127.0.0.1", "--dir", Directory, "--save", "", "--appendonly", "no", "--daemonize", "no",
    ]);

    protected override async Task ConnectAsync() => _connection = await Deadline.For(ConnectAsync(EndPoint));

    protected override async ValueTask DisconnectAsync()
    {
        if (_connection is not null)
        {
            await _connection.CloseAsync(allowCommandsToComplete: false); // else it may wait for an answer to its QUIT that never comes
            _connection.Dispose();
        }
    }

    /// <summary>A connection whose limits are as far away as those of the tests.</summary>
    public static Task<ConnectionMultiplexer> ConnectAsync(string endPoint) => ConnectionMultiplexer.ConnectAsync(new ConfigurationOptions
    {
        EndPoints = { endPoint },
        SyncTimeout = (int)Deadline.Time.TotalMilliseconds,
        ResponseTimeout = (int)Deadline.Time.TotalMilliseconds,
        ConnectTimeout = (int)Deadline.Time.TotalMilliseconds,
        AllowAdmin = true,
    });
}

[CollectionDefinition]
public sealed class RedisCollection : ICollectionFixture<RedisServer>;
