using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NativeThreading.EventLoops.Turns;

/// <summary>Maps the tokens of native events to timers and registrations. Only for the loop's thread. An index may be used again at
/// once: the native loop never delivers a token that was removed (T76).</summary>
internal sealed class TargetTable
{
    private Slot[] _targets = new Slot[LoopTuning.TargetCapacity];
    private int[] _free = new int[LoopTuning.TargetCapacity];
    private int _freeCount;
    private int _used;

    /// <summary>Whether the next <see cref="Add"/> allocates nothing.</summary>
    internal bool HasRoom => _freeCount != 0 || _used < _targets.Length;

    public int Add(object? target)
    {
        if (!HasRoom)
        {
            Grow();
        }

        int index = _freeCount > 0 ? _free[--_freeCount] : _used++;
        _targets[index].Target = target;
        return index;
    }

    public void Remove(int index)
    {
        _targets[index].Target = null;
        _free[_freeCount++] = index;
    }

    /// <summary>Roots a target, or releases it to the collector. Its index stays reserved.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set(int index, object? target) => _targets[index].Target = target;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(ulong token)
        where T : class
    {
        object? target = _targets[(int)token].Target;
        Debug.Assert(target is T, "The native loop delivered a token that belongs to another kind of target.");
        return Unsafe.As<T>(target)!;
    }

    /// <summary>The timers that are armed, and the registrations. Any thread may call this.</summary>
    public object[] Snapshot() => [.. _targets.Select(static slot => slot.Target).OfType<object>()];

    /// <summary>Throws before it changes anything. There is room for each index that may become free, so Remove allocates nothing.</summary>
    private void Grow()
    {
        Failpoints.Growth?.Invoke("targets");
        int capacity = checked(_targets.Length * 2);
        var free = new int[capacity];
        Array.Resize(ref _targets, capacity);
        _free = free; // no index is free now
    }

    /// <summary>A struct, so that writes need no check of array covariance.</summary>
    private struct Slot
    {
        public object? Target;
    }
}
