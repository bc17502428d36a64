using System.Diagnostics;

namespace NativeThreading.Scheduling;

/// <summary>After a failed start no thread is started for a while: the next attempt is the monitor's, so a starved system is not
/// asked at every enqueue. Meanwhile accepted work runs on the existing threads. Changes under the roster's lock.</summary>
/// <remarks>A producer that finds no worker to ask brings the pool to the monitor, and so does the caller that ends a refused request. So
/// nothing here needs the runtime's pool or its timers, which fail where threads cannot be started.</remarks>
internal struct StartPostponement
{
    private bool _isTold;
    private bool _stands;
    private long _since;

    public readonly bool Stands => Volatile.Read(in _stands);

    /// <summary>Whether it stands and has lasted long enough.</summary>
    public readonly bool IsOver => Stands && Stopwatch.GetElapsedTime(Volatile.Read(in _since)) >= StarvationTuning.StartRetry;

    /// <summary>A start has failed. Whether that is to be told: once until a thread could be started.</summary>
    public bool Begin()
    {
        bool isFirst = !_isTold;
        _isTold = true;
        Volatile.Write(ref _since, Stopwatch.GetTimestamp());
        Volatile.Write(ref _stands, true);
        return isFirst;
    }

    /// <summary>Threads may be started again.</summary>
    public void End() => _stands = false;

    /// <summary>A thread was started.</summary>
    public void NoteStart() => _isTold = false;
}
