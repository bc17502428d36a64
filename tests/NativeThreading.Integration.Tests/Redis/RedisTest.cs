using NativeThreading.Integration.Servers;
using StackExchange.Redis;

namespace NativeThreading.Integration.Redis;

/// <summary>StackExchange.Redis on a pool.</summary>
[Collection<RedisCollection>]
public abstract class RedisTest : PoolTest
{
    protected RedisTest(RedisServer server)
    {
        server.Require();
        EndPoint = server.EndPoint;
        Connection = server.Connection;
        Database = Connection.GetDatabase();
        Connection.GetServer(EndPoint).FlushAllDatabases();
    }

    protected string EndPoint { get; }

    protected ConnectionMultiplexer Connection { get; }

    protected IDatabase Database { get; }
}
