namespace NativeThreading.Scheduling;

/// <summary>
/// How many rescue threads may be in use for which items. Continuations may block, and wait for continuations that come later. If the first ones
/// took all rescue threads, none would be left for the later ones, and all would wait indefinitely. So an item belongs to a generation: the number
/// of shares that were in use when it was queued. Each generation may use half of what the ones before it have left.
/// </summary>
/// <remarks>
/// Let all threads of the first share be blocked. What the last one of them waits for was queued after it was put to work, so it belongs to a later
/// generation, and has threads left. When it has run, that thread is free for the next item. Work that starts meanwhile on the pool's own threads belongs to
/// later generations, too. So this makes the bound go further with code that blocks in several levels, and is no proof.
/// </remarks>
internal sealed class RescueShares
{
    /// <summary>Generations of items. A later item belongs to the last one.</summary>
    public const int Generations = 4;

    private readonly int[] _most = new int[Generations];

    public RescueShares(int rescueThreads)
    {
        int before = 0;
        for (int generation = 0; generation < Generations; generation++)
        {
            bool isLast = generation == Generations - 1;
            before += isLast ? rescueThreads - before : (rescueThreads - before + 1) / 2;
            _most[generation] = before;
        }
    }

    /// <summary>The most rescue threads that may be in use, one that runs an item of that generation among them.</summary>
    public int MostFor(int generation) => _most[generation];

    /// <summary>The generation of an item that is queued while so many are in use.</summary>
    public int GenerationAt(int inUse)
    {
        int generation = 0;
        while (generation < Generations - 1 && inUse >= _most[generation])
        {
            generation++;
        }

        return generation;
    }
}
