namespace NativeThreading.Tests.Support;

/// <summary>
/// What code allocates. A loop that the runtime recompiles while it runs may allocate in the stead of the code that it runs, once
/// and at any moment. So of several rounds the quietest counts: what each round allocates shows in all of them.
/// </summary>
public static class Allocation
{
    private const int Rounds = 5;

    /// <summary>The least that a round reports, of a few; the first one only compiles. Ends at the first that reports nothing.</summary>
    /// <param name="round">Runs the code, and returns how many bytes it has allocated.</param>
    public static long Least(Func<long> round)
    {
        round();
        long least = long.MaxValue;
        for (int i = 0; i < Rounds && least > 0; i++)
        {
            least = Math.Min(least, round());
        }

        return least;
    }
}
