namespace NativeThreading.Tables.Isolation;

/// <summary>What a load generator is to do.</summary>
/// <param name="Target">What is asked for. A certificate need only be one for this machine.</param>
/// <param name="Connections">How many there are at a time.</param>
/// <param name="Window">How long.</param>
internal sealed record LoadOrder(Uri Target, int Connections, TimeSpan Window)
{
    /// <summary>Whether each request has a connection of its own.</summary>
    public bool Closes { get; init; }

    /// <summary>Whether each request has a body.</summary>
    public bool Posts { get; init; }

    /// <summary>So many requests are sent at once on a connection. Only wrk can do it.</summary>
    public int Pipelined { get; init; } = 1;

    /// <summary>The beginning of a command line that the generator's is appended to: of a program that counts something meanwhile.</summary>
    public IReadOnlyList<string> Under { get; init; } = [];
}
