using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;

namespace NativeThreading.Kestrel.Transport;

/// <summary>What all connections of a transport share.</summary>
internal sealed class TransportContext
{
    private readonly NativeTransportOptions _options;
    private readonly PipeScheduler? _application; // null: the loop of each connection, unless that speaks HTTP/2
    private readonly ConditionalWeakTable<LoopScheduler, LoopPipes> _pipes = [];

    /// <param name="options">The sizes of the pipes, and whether the application runs on loops.</param>
    /// <param name="pool">Where the application runs; null: on the runtime's pool, or on loops.</param>
    /// <param name="logger">For what happens to connections.</param>
    public TransportContext(NativeTransportOptions options, ApplicationScheduler? pool, ILogger logger)
    {
        (_options, Logger) = (options, logger);
        _application = options.MayRunOnLoops ? null : pool ?? PipeScheduler.ThreadPool;
        EntersApplication = _application != PipeScheduler.ThreadPool;
    }

    public ILogger Logger { get; }

    public PinnedBlockPool Memory { get; } = new();

    /// <summary>The connections that have not ended.</summary>
    public ConnectionCount Open { get; } = new();

    /// <summary>Whether the application runs elsewhere than where Kestrel begins connections.</summary>
    public bool EntersApplication { get; }

    /// <summary>For a new connection of a loop. If the application runs on no loop, connections share what knows nothing of a single one.</summary>
    public LoopPipes Of(LoopScheduler loop, LoopConnection connection)
    {
        if (_application is not null)
        {
            LoopPipes shared = _pipes.GetValue(loop, loop => Pipes(loop, _application));
            return _application is ApplicationScheduler pool
                ? shared with { Input = Options(readers: new PoolReads(connection, pool), writers: loop, _options.MaxReadBufferSize) }
                : shared;
        }

        var application = new ConnectionScheduler(loop);
        if (_options.Requests != NativeTransportRequests.Adaptive)
        {
            return Pipes(loop, application);
        }

        var next = new NextRequest(application, loop.Loop.SynchronizationContext);
        return new LoopPipes(
            application,
            Options(readers: next, writers: loop, _options.MaxReadBufferSize),
            Options(readers: new SenderScheduler(application), writers: application, _options.MaxWriteBufferSize));
    }

    // The sender runs behind the code that flushes, so one call sends what several flushes have brought.
    private LoopPipes Pipes(LoopScheduler loop, PipeScheduler application) => new(
        application,
        Options(readers: application, writers: loop, _options.MaxReadBufferSize),
        Options(readers: application, writers: application, _options.MaxWriteBufferSize));

    private PipeOptions Options(PipeScheduler readers, PipeScheduler writers, long? limit) => new(
        Memory, readers, writers, limit ?? 0, (limit ?? 0) / 2, useSynchronizationContext: false);
}
