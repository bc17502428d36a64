namespace NativeThreading.Tables.Harness;

/// <summary>Lets two processes of this program measure by turns, row by row: <c>benchmarks/compare</c> runs two commits next to each other, and what
/// disturbs the machine for a second must not fall on one of them alone. One of the two computes, the other sleeps in a read.</summary>
/// <remarks>The environment names two pipes of the file system: whose bytes are turns for this process, and whose are for the other one. Both are
/// opened for reading and writing, so that no end waits for the other; the script says when one has ended.</remarks>
internal static class Turns
{
    /// <summary>The path of this process's pipe, a colon, and the path of the other's.</summary>
    public const string Variable = "NATIVETHREADING_TABLES_TURNS";

    private const byte Turn = (byte)'T'; // any other byte: the other process has ended

    private static FileStream? s_mine;
    private static FileStream? s_theirs;

    /// <summary>Waits for the first turn. Without the variable, nothing here waits.</summary>
    public static void Begin()
    {
        if (s_mine is null && Environment.GetEnvironmentVariable(Variable)?.Split(':') is [var mine, var theirs])
        {
            (s_mine, s_theirs) = (Open(mine), Open(theirs));
            Wait();
        }
    }

    /// <summary>After one row and before the next: lets the other process have its turn.</summary>
    public static void Next()
    {
        if (s_theirs is not null)
        {
            s_theirs.WriteByte(Turn);
            Wait();
        }
    }

    private static void Wait()
    {
        if (s_mine!.ReadByte() != Turn)
        {
            s_theirs!.Dispose();
            s_theirs = null;
        }
    }

    private static FileStream Open(string path) => new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
}
