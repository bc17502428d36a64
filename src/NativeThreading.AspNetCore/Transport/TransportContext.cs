using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>What all connections of a transport share.</summary>
internal sealed class TransportContext
{
    private readonly NativeTransportOptions _options;
    private readonly ConditionalWeakTable<LoopScheduler, PipeOptions> _inputs = [];

    /// <param name="options">The sizes of the pipes.</param>
    /// <param name="pool">Where the application runs; null: on the runtime's pool.</param>
    /// <param name="logger">For what happens to connections.</param>
    public TransportContext(NativeTransportOptions options, ApplicationScheduler? pool, ILogger logger)
    {
        (_options, Logger) = (options, logger);
        Application = pool ?? PipeScheduler.ThreadPool;
        EntersPool = pool is not null;

        // The sender never blocks, so it runs on the thread that flushes.
        OutputOptions = Options(readers: PipeScheduler.Inline, writers: Application, options.MaxWriteBufferSize);
    }

    public ILogger Logger { get; }

    public PinnedBlockPool Memory { get; } = new();

    /// <summary>Where the application runs.</summary>
    public PipeScheduler Application { get; }

    /// <summary>Whether that is another place than where Kestrel begins connections.</summary>
    public bool EntersPool { get; }

    public PipeOptions OutputOptions { get; }

    public PipeOptions InputOptions(LoopScheduler loop) => _inputs.GetValue(
        loop, loop => Options(readers: Application, writers: loop, _options.MaxReadBufferSize));

    private PipeOptions Options(PipeScheduler readers, PipeScheduler writers, long? limit) => new(
        Memory, readers, writers, limit ?? 0, (limit ?? 0) / 2, useSynchronizationContext: false);
}
