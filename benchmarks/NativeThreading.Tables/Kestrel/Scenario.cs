namespace NativeThreading.Tables.Kestrel;

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

    /// <summary>So many connections ask for an endpoint that blocks for 100 ms, all the time.</summary>
    public int Beside { get; init; }

    public static IEnumerable<Scenario> All()
    {
        foreach (int connections in (int[])[1, 32, 128, 512])
        {
            yield return new Scenario("json", connections, "json");
        }

        yield return new Scenario("plaintext", 128, "plaintext");
        yield return new Scenario("yield", 32, "yield");
        yield return new Scenario("yield", 128, "yield");
        yield return new Scenario("delay", 128, "delay");
        yield return new Scenario("connect", 32, "json") { Closes = true };
        yield return new Scenario("tls", 32, "json") { Wire = Wire.Tls };
        yield return new Scenario("http2", 32, "json") { Wire = Wire.Http2 };
        yield return new Scenario("beside-4-blocked", 32, "json") { Beside = 4 };
        yield return new Scenario("beside-64-blocked", 32, "json") { Beside = 64 };
    }
}

/// <summary>What carries a request. The values are the positions of the server's addresses.</summary>
internal enum Wire
{
    Http1,
    Tls,
    Http2,
}
