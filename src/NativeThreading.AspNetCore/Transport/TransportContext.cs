using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;

namespace NativeThreading.AspNetCore.Transport;

/// <summary>What all connections of a transport share.</summary>
internal sealed class TransportContext
{
    private readonly NativeTransportOptions _options;
    private readonly PipeScheduler _application;
    private readonly ConditionalWeakTable<LoopScheduler, PipeOptions> _inputs = [];

    public TransportContext(NativeTransportOptions options, NativeThreadPool? pool, ILogger logger)
    {
        (_options, Logger) = (options, logger);
        _application = pool is null ? PipeScheduler.ThreadPool : ApplicationScheduler.Of(pool);
        WaitsForReader = pool is not null;

        // The sender never blocks, so it runs on the thread that flushes.
        OutputOptions = Options(readers: PipeScheduler.Inline, writers: _application, options.MaxWriteBufferSize);
    }

    public ILogger Logger { get; }

    public PinnedBlockPool Memory { get; } = new();

    /// <summary>Whether the first read must not begin before the application waits for it.</summary>
    public bool WaitsForReader { get; }

    public PipeOptions OutputOptions { get; }

    public PipeOptions InputOptions(LoopScheduler loop) => _inputs.GetValue(
        loop, loop => Options(readers: _application, writers: loop, _options.MaxReadBufferSize));

    private PipeOptions Options(PipeScheduler readers, PipeScheduler writers, long? limit) => new(
        Memory, readers, writers, limit ?? 0, (limit ?? 0) / 2, useSynchronizationContext: false);
}
