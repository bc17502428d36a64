using Microsoft.Extensions.Configuration;
using Npgsql;

namespace NativeThreading.Samples.Cluster;

/// <summary>Which database a run uses.</summary>
internal static class Databases
{
    /// <summary>The environment's name of the connection string.</summary>
    public const string Variable = "ConnectionStrings__Cluster";

    public static string? Configured(IConfiguration configuration) => configuration.GetConnectionString("Cluster");

    /// <summary>Npgsql's connection string, with the limits that the run is to have.</summary>
    public static string With(string connection, int connections) => new NpgsqlConnectionStringBuilder(connection)
    {
        MaxPoolSize = connections,
        Timeout = 15,
        CommandTimeout = 15,
        ApplicationName = "cluster sample",
    }.ConnectionString;
}
