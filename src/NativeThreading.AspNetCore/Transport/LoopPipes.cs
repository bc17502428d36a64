using System.IO.Pipelines;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>What the connections of one loop share.</summary>
/// <param name="Application">Where the application runs.</param>
/// <param name="Input">From the socket to the application.</param>
/// <param name="Output">From the application to the socket.</param>
internal sealed record LoopPipes(PipeScheduler Application, PipeOptions Input, PipeOptions Output);
