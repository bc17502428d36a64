namespace NativeThreading.Workloads.Kestrel;

/// <summary>What is asked for, over what, by how many.</summary>
/// <param name="Kind">Before the slash in the row's name.</param>
/// <param name="Connections">At a time.</param>
/// <param name="Path">Of the endpoint.</param>
internal sealed record Scenario(string Kind, int Connections, string Path)
{
    public string Name => $"{Kind}/{Connections}";

    public Wire Wire { get; init; }

    /// <summary>Whether each request has a connection of its own.</summary>
    public bool Closes { get; init; }

    /// <summary>Whether each request has a body.</summary>
    public bool Posts { get; init; }

    /// <summary>So many requests are sent at once on a connection.</summary>
    public int Pipelined { get; init; } = 1;

    /// <summary>So many connections ask for an endpoint that blocks for 100 ms, all the time.</summary>
    public int BesideBlocked { get; init; }

    /// <summary>Another connection sends as many requests as it can.</summary>
    public bool BesideGreedy { get; init; }

    /// <summary>Another connection asks for something that costs nothing, and now and then for something that computes for so many
    /// milliseconds. The others ask at a fixed rate.</summary>
    public int BesideComputing { get; init; }

    /// <summary>Over how many endpoints that connection goes.</summary>
    public int ComputingEndpoints { get; init; } = 1;

    /// <summary>Whether the connections ask for nothing while they are measured.</summary>
    public bool Idles { get; init; }

    /// <summary>Whether the endpoint asks a database.</summary>
    public bool NeedsDatabase { get; init; }

    /// <summary>Whether each run has a separate server: the built-in pool keeps the threads, and the collector the memory, that an
    /// earlier run made it take.</summary>
    public bool NeedsNewServer { get; init; }

    /// <summary>Whether it may be that nothing is answered, because all threads are blocked.</summary>
    public bool MayStarve { get; init; }

    /// <summary>How many windows a run lasts: the built-in pool takes many seconds to grow to 64 threads, and a server that does nothing uses a
    /// millisecond or two in a second, much of it at once. A long run is made in every third round only.</summary>
    public int Windows { get; init; } = 1;

    /// <summary>Whether something else is asked for at the same time.</summary>
    public bool HasCompany => BesideBlocked > 0 || BesideGreedy || BesideComputing > 0;

    /// <summary>Whether the connections are also measured without that, in the same run.</summary>
    public bool IsMeasuredAlone => BesideBlocked > 0 || BesideComputing > 0;
}

/// <summary>What carries a request. The first values are the positions of the server's addresses.</summary>
internal enum Wire
{
    Http1,
    Tls,
    Http2,
    WebSocket,
}
