namespace NativeThreading.AspNetCore.Adaptive;

/// <summary>
/// What holds for most of the last cases, and is slow to change. Those who count on several threads lose a few counts to each other, which
/// changes nothing for long.
/// </summary>
/// <param name="most">So many cases for it, without one against it, turn it.</param>
internal sealed class Trend(int most)
{
    private int _count;
    private bool _holds;

    public bool Holds => Volatile.Read(ref _holds);

    /// <summary>A case for it counts one, and one against it two: to turn it takes more than two thirds.</summary>
    public void Add(bool isFor)
    {
        int before = Volatile.Read(ref _count);
        int count = before < 0 ? before + 1 : Math.Clamp(before + (isFor ? 1 : -2), 0, most);
        if (count == before)
        {
            return; // the usual case writes nothing
        }

        Volatile.Write(ref _count, count);
        if (count == 0 || count == most)
        {
            Volatile.Write(ref _holds, count != 0);
        }
    }

    /// <param name="unheard">So many of the next cases count for nothing.</param>
    public void Forget(int unheard = 0)
    {
        Volatile.Write(ref _count, -unheard);
        Volatile.Write(ref _holds, false);
    }
}
