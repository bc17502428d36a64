using System.Net;
using NativeThreading.Samples.Cluster;

namespace NativeThreading.Tables.Kestrel;

/// <summary>A PostgreSQL of this run; the servers get its address.</summary>
internal sealed class Database : IDisposable
{
    private readonly OwnPostgres _postgres;

    private Database(OwnPostgres postgres) => _postgres = postgres;

    /// <summary>Where Debian has it.</summary>
    public static bool IsInstalled => Directory.Exists("/usr/lib/postgresql")
        && Directory.EnumerateFiles("/usr/lib/postgresql", "initdb", SearchOption.AllDirectories).Any();

    /// <exception cref="MeasurementException">It did not start.</exception>
    public static Database Start()
    {
        try
        {
            return new Database(OwnPostgres.StartAsync().GetAwaiter().GetResult() ?? throw new MeasurementException("PostgreSQL was not found."));
        }
        catch (InvalidOperationException exception)
        {
            throw new MeasurementException($"PostgreSQL did not start: {exception.Message}");
        }
    }

    /// <summary>A server gets its connections, and the table is made where it is the first one.</summary>
    /// <exception cref="MeasurementException">It cannot use it.</exception>
    public void Tell(Side side)
    {
        using var client = new HttpClient();
        using var body = new StringContent(_postgres.ConnectionString);
        using HttpResponseMessage answer = client.PutAsync(new Uri(side.Server.Addresses[0], "fortunes"), body).GetAwaiter().GetResult();
        if (answer.StatusCode != HttpStatusCode.OK)
        {
            throw new MeasurementException($"{side.Name} cannot use the database: {answer.StatusCode}.");
        }
    }

    public void Dispose() => _postgres.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
