using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops;

/// <summary>
/// What the tokens of native events stand for: a timer or a registration for each index. The loop's thread alone. An
/// index may be used again at once: the native loop never delivers a token that was removed (T76).
/// </summary>
internal sealed class TargetTable
{
    private const int InitialCapacity = 16;

    private Slot[] _targets = new Slot[InitialCapacity];
    private int[] _free = new int[InitialCapacity];
    private int _freeCount;
    private int _used;

    public int Add(object? target)
    {
        int index = _freeCount > 0 ? _free[--_freeCount] : _used++;
        if (index == _targets.Length)
        {
            Array.Resize(ref _targets, checked(index * 2));
        }

        _targets[index].Target = target;
        return index;
    }

    public void Remove(int index)
    {
        _targets[index].Target = null;
        if (_freeCount == _free.Length)
        {
            Array.Resize(ref _free, checked(_freeCount * 2));
        }

        _free[_freeCount++] = index;
    }

    /// <summary>Roots a target, or lets the collector have it, while its index stays reserved.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set(int index, object? target) => _targets[index].Target = target;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(ulong token)
        where T : class
    {
        object? target = _targets[(int)token].Target;
        Debug.Assert(target is T, "The native loop delivered a token that does not stand for such a target.");
        return Unsafe.As<T>(target)!;
    }

    /// <summary>All targets at this moment, for the stop.</summary>
    public object[] Snapshot() => [.. _targets.Select(static slot => slot.Target).OfType<object>()];

    /// <summary>Spares each write the check of array covariance.</summary>
    private struct Slot
    {
        public object? Target;
    }
}
