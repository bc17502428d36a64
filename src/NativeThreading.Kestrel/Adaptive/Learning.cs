namespace NativeThreading.Kestrel.Adaptive;

/// <summary>By which numbers code is sent to the loops and back.</summary>
internal static class Learning
{
    /// <summary>
    /// Where code begins of which nothing is known. On the pool: one blocked call costs nobody anything there, while on a loop every
    /// first call of a slow endpoint would hold up all connections until it was found.
    /// </summary>
    public const bool BeginsOnLoops = false;

    /// <summary>So many short pieces in a row, on the pool, prove that code may run on loops.</summary>
    public const int ProofOfShort = 30;

    /// <summary>
    /// The same for code that was sent back before, for code that was short and then held up a thread of the pool for
    /// <see cref="VeryLong"/>, and for all code after some code has held up a loop for so long. With each further return it is <see cref="HarderProof"/> times as many, until there was none for
    /// <see cref="Memory"/>.
    /// </summary>
    public const int ProofAfterReturn = 1_000;

    /// <inheritdoc cref="ProofAfterReturn"/>
    public const int HarderProof = 10;

    /// <summary>More than this is never asked for: at a thousand requests a second, a quarter of an hour of them.</summary>
    public const int HardestProof = 1_000_000;

    /// <summary>For so long a return counts, in milliseconds. Whoever plans to hold up loops does so once in this time for each endpoint.</summary>
    public const long Memory = 600_000;

    /// <summary>So much of its loop's time, in nanoseconds, is what another thread takes the loop over for.</summary>
    public const long VeryLong = 10 * Short;

    /// <summary>
    /// Pieces of a millisecond and more may hold a loop for so long in a <see cref="BudgetTime"/>, in nanoseconds: for a fiftieth of the time.
    /// Beyond that those leave that have held it the longest.
    /// </summary>
    public const long Budget = 20_000_000;

    /// <inheritdoc cref="Budget"/>
    public const long BudgetTime = 1_000_000_000;

    /// <summary>So many long calls of the last <see cref="Window"/> send code back to the pool; of proven blocks one is enough.</summary>
    public const int LongCalls = 3;

    /// <summary>How many calls are looked at together, and for how many calls a suspicious one is followed by closer looks.</summary>
    public const int Window = 100;

    /// <summary>Of code that awaits, one call in so many is watched behind its awaits, too. A power of two.</summary>
    public const int AwaitingCallsPerLook = 16;

    /// <summary>
    /// The same of calls that begin on the runtime's pool, while none of those has taken long. A power of two, as the other is. Each look takes
    /// its call through a queue once more, and there it spares no loop.
    /// </summary>
    public const int AwaitingCallsPerLookOffLoops = 64;

    /// <summary>Behind so many awaits. A call that lasts, as that of a WebSocket, is not watched for ever.</summary>
    public const int PiecesPerLook = 16;

    /// <summary>So many awaits that complete alone on the runtime's pool, of those that are watched, leave an endpoint's code there.</summary>
    public const int ProofOfElsewhere = 16;

    /// <summary>So many requests of a connection that end alone on the runtime's pool let its next ones begin there.</summary>
    public const int ProofOfEnds = 8;

    /// <summary>So many such ends count for nothing behind a request that could not stay where it began.</summary>
    public const int EndsAfterRefusal = 1_000;

    /// <summary>What a piece of code may take of its thread, in nanoseconds, which are ticks of the stopwatch on Linux.</summary>
    public const long Short = 1_000_000;
}
