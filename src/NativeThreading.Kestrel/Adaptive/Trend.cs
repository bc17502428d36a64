namespace NativeThreading.Kestrel.Adaptive;

/// <summary>
/// A property that holds for most of the recent cases, and changes slowly. If several threads count at once, a few counts get lost, which has
/// no lasting effect.
/// </summary>
/// <param name="most">The value at which the property starts to hold: so many consecutive cases for it, without one against it.</param>
internal sealed class Trend(int most)
{
    private int _count;
    private bool _holds;

    public bool Holds => Volatile.Read(ref _holds);

    /// <summary>Saturating counter, +1 for a case in favour and −2 for a case against: more than two thirds must be in favour.</summary>
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

    /// <param name="unheard">The number of following cases that are ignored.</param>
    public void Forget(int unheard = 0)
    {
        Volatile.Write(ref _count, -unheard);
        Volatile.Write(ref _holds, false);
    }
}
