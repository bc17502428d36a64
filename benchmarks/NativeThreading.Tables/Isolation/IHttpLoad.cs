namespace NativeThreading.Tables.Isolation;

/// <summary>
/// A load generator in a process of its own. Each connection sends its next request when the last one is answered.
/// </summary>
internal interface IHttpLoad
{
    /// <summary>For the note: who made the load.</summary>
    string Name { get; }

    /// <param name="target">What is asked for. A certificate need only be one for this machine.</param>
    /// <param name="connections">How many there are at a time.</param>
    /// <param name="window">How long.</param>
    /// <param name="closes">Whether each request has a connection of its own.</param>
    Task<HttpLoadResult> RunAsync(Uri target, int connections, TimeSpan window, bool closes = false);
}
