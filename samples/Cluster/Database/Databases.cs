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

        // Else each transaction plans its statements anew, and a further round trip resets the connection's session, to which neither
        // Quartz nor the items do anything. Behind a pooler that gives each transaction another session both have to stay out.
        MaxAutoPrepare = 100,
        NoResetOnClose = true,
        ApplicationName = "cluster sample",
    }.ConnectionString;
}
