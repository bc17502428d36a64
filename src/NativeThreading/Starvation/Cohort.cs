using NativeThreading.Workers;

namespace NativeThreading.Starvation;

/// <summary>
/// The workers that one pass put to work. Where all of them were found blocked as well, the next pass may add twice as
/// many: hundreds of blocked items are healed in a few passes instead of one by one. Under the pool's thread lock.
/// </summary>
internal struct Cohort
{
    private int _number;
    private int _size;
    private int _blocked;

    /// <summary>How many the next pass may add, apart from what may run anyway.</summary>
    public readonly int Next => _size != 0 && _blocked >= _size ? 2 * _size : 0;

    /// <summary>The number a worker bears that was put to work now.</summary>
    public readonly int Number => _number;

    /// <summary>Begins a pass.</summary>
    public void Begin()
    {
        _number++;
        _size = 0;
        _blocked = 0;
    }

    /// <summary>One worker more was put to work.</summary>
    public void Added() => _size++;

    /// <summary>A worker was found blocked; it counts once for its cohort.</summary>
    public void Blocked(Worker worker)
    {
        if (worker.Cohort == _number)
        {
            worker.Cohort = 0;
            _blocked++;
        }
    }
}
