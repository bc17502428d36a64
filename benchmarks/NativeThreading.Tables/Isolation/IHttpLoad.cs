using NativeThreading.Workloads.Http;

namespace NativeThreading.Tables.Isolation;

/// <summary>A load generator in a process of its own. Each connection sends its next request when the last one is answered.</summary>
internal interface IHttpLoad
{
    /// <summary>For the note: the program that made the load.</summary>
    string Name { get; }

    Task<HttpLoadResult> RunAsync(LoadOrder order);

    /// <summary>Plain requests.</summary>
    Task<HttpLoadResult> RunAsync(Uri target, int connections, TimeSpan window) => RunAsync(new LoadOrder(target, connections, window));
}
