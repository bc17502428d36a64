using System.Diagnostics;

namespace NativeThreading.Tuning;

/// <summary>How the iterations of a loop are cut into pieces. See <see cref="SpinTuning"/> for the form.</summary>
internal static class ParallelTuning
{
    /// <summary>
    /// The duration of a piece: 20 us. To claim one costs a hundred nanoseconds and two reads of the clock, and at the end of a loop threads wait for
    /// each
    /// other for about one piece. Row: parallel.
    /// </summary>
    public static readonly long PieceTicks = Stopwatch.Frequency / 50_000;

    /// <summary>The most iterations of a piece: an iteration that was cheap so far may become expensive. Row: parallel.</summary>
    public const ulong LongestPiece = 1 << 16;

    /// <summary>The most items that a thread takes from a sequence at once. No row shows it.</summary>
    public const int LongestBuffer = 1 << 9;

    /// <summary>The most by which a piece grows from one to the next. The first piece is one iteration. Row: parallel.</summary>
    public const ulong Growth = 4;

    /// <summary>The length of the next piece, from that of the last one and its ticks.</summary>
    public static ulong NextPiece(ulong piece, long ticks)
    {
        if (ticks > 2 * PieceTicks)
        {
            return Math.Max(1, piece / 2);
        }

        return ticks < PieceTicks / (long)Growth ? Math.Min(piece * Growth, LongestPiece) : piece;
    }
}
