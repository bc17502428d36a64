namespace NativeThreading.Kestrel.Adaptive;

/// <summary>A saturating counter with hysteresis: +1 for a case in favour, −2 for a case against. A property holds from <paramref name="most"/> cases
/// in favour until the counter is back at 0, so more than two thirds of the cases must be in favour. If several threads count at once, a few counts
/// get lost, which has no lasting effect.</summary>
/// <param name="most">The value at which the property starts to hold.</param>
internal sealed class SaturatingCounter(int most)
{
    private int _count;
    private bool _holds;

    public bool Holds => Volatile.Read(ref _holds);

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

    /// <param name="ignored">The number of following cases that are ignored.</param>
    public void Reset(int ignored = 0)
    {
        Volatile.Write(ref _count, -ignored);
        Volatile.Write(ref _holds, false);
    }
}
