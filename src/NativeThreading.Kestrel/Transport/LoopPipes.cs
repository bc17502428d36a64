using System.IO.Pipelines;

namespace NativeThreading.Kestrel.Transport;

/// <summary>How the pipes of a connection are made.</summary>
/// <param name="Application">Where the application runs.</param>
/// <param name="Input">From the socket to the application.</param>
/// <param name="Output">From the application to the socket.</param>
internal sealed record LoopPipes(PipeScheduler Application, PipeOptions Input, PipeOptions Output);
