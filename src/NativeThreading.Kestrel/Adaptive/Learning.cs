namespace NativeThreading.Kestrel.Adaptive;

/// <summary>The numbers that decide when code moves to the loops and back. All code starts on the pool: a blocked call costs other requests nothing
/// there, while on a loop the first call of each slow endpoint would hold up all connections. Times are in nanoseconds, which are ticks of the
/// stopwatch on Linux.</summary>
internal static class Learning
{
    public const long Short = 1_000_000; // the end of what counts as a short segment
    public const long VeryLong = 10 * Short; // the processor time after which another thread takes over the loop of a segment

    /// <summary>The number of consecutive short segments on the pool that prove that code may run on loops.</summary>
    public const int ProofOfShort = 30;

    /// <summary>The same number for code that was moved back, for code that was short and then took <see cref="VeryLong"/>, and for all code after
    /// any code has held up a loop for so long. Each further move within <see cref="Memory"/> multiplies it by <see cref="HarderProof"/>.</summary>
    public const int ProofAfterReturn = 1_000;
    public const int HarderProof = 10;
    public const int HardestProof = 1_000_000; // at 1,000 requests per second, a quarter of an hour of requests
    public const long Memory = 600_000; // how long a move to the pool counts, in milliseconds: a client can hold up a loop with an endpoint once in this time

    public const long Budget = 20_000_000; // the sum of segments that are not short, of which a loop accepts so much in BudgetTime
    public const long BudgetTime = 1_000_000_000;
    public const int LongCalls = 3; // among the last calls of a Window, so many move code back to the pool. One block is enough
    public const int Window = 100; // calls; so many are also watched closely after a suspicious one

    public const int AwaitingCallsPerLook = 16; // of code that awaits, one call in so many is watched across its awaits. A power of two
    public const int AwaitingCallsPerLookOffLoops = 64; // the same for calls that start on the built-in pool: another pass through a queue, and no loop to protect
    public const int SegmentsPerLook = 16; // so many awaits of a call are watched. A call of a WebSocket lasts

    public const int ProofOfElsewhere = 16; // after so many watched awaits that complete alone on the built-in pool, code continues there
    public const int ProofOfEnds = 8; // after so many requests of a connection that end alone on the built-in pool, its next ones start there
    public const int EndsAfterRefusal = 1_000; // so many such ends are ignored after a request that could not stay where it started
}
