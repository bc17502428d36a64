using NativeThreading.Platform;
using NativeThreading.Tracing;

namespace NativeThreading.Scheduling;

/// <summary>Starting threads, and removing those that end.</summary>
/// <remarks>To start a thread takes the system a while, so no thread is started under the lock. A worker is first enlisted: listed and
/// counted like one whose thread has not started to run. If its thread cannot be started, it is removed like one whose thread has
/// ended.</remarks>
internal sealed partial class ThreadRoster
{
    private int _startingCount; // enlisted workers whose threads may still turn out not to start
    private StartPostponement _postponement;

    /// <summary>Whether the pool keeps its least number of threads without one of them. Those that may not start do not count.</summary>
    private bool MaySpareOne => OwnCount - _startingCount > MinThreads;

    /// <summary>Starts threads until there are <paramref name="count"/>. Throws what starting one throws; those that were started stay.</summary>
    public int StartUpTo(int count)
    {
        for (int started = 0; ; started++)
        {
            Worker worker;
            using (_lock.EnterScope())
            {
                if (_isClosed || OwnCount >= count)
                {
                    return started;
                }

                worker = Enlist();
            }

            Start(worker, postpones: false);
        }
    }

    /// <summary>Starts the first thread of a pool that has none. Throws what starting a thread throws.</summary>
    /// <param name="requested">Whether a request was made for the new thread, which owns it from the start: else the item that it
    /// is started for would ask for a second thread. Where starting fails, the caller ends the request.</param>
    public void StartFirst(ref bool requested)
    {
        Worker worker;
        using (_lock.EnterScope())
        {
            if (OwnCount != 0 || _isClosed)
            {
                return;
            }

            requested = _state.Signal.Request() == RequestOutcome.StartThread;
            worker = Enlist();
        }

        Start(worker, postpones: false);
    }

    /// <summary>Calls back or starts the worker that a request asked for. The worker owns the request. <see langword="false"/>: no
    /// more may run, none could be started, or no item waits any more.</summary>
    public bool TryStartRequested()
    {
        Worker? worker;
        using (_lock.EnterScope())
        {
            // A worker that was about to park may have taken the item between its publication and the request (T25).
            if (!MayRunMore(MaxThreads) || _state.RunnableCount == 0 || !TryCallBackOrEnlist(isRescue: false, out worker))
            {
                return false;
            }
        }

        return worker is null || TryStart(worker);
    }

    /// <summary>Called by the monitor at each sample. Some time after a failed start threads may be started again.
    /// <see langword="true"/>: from now on; the caller then makes a request for the items that wait.</summary>
    public bool TryEndPostponement()
    {
        if (!_postponement.IsOver)
        {
            return false;
        }

        using (_lock.EnterScope())
        {
            _postponement.End();
            CountsChanged();
        }

        Chaos.Point("ThreadRoster.TryEndPostponement, growable");
        return true;
    }

    /// <summary>Removes a worker whose idle time is over. It is not announced, and its queues are empty.</summary>
    public bool TryRetire(Worker worker, long idleSince)
    {
        if (_state.RemainingIdleTime(idleSince) != TimeSpan.Zero)
        {
            return false;
        }

        Chaos.Point("ThreadRoster.TryRetire, time is over");
        using var held = _lock.EnterScope();
        return MaySpareOne && Remove(worker);
    }

    /// <summary>Removes a worker whose thread ends. Returns <see langword="false"/> if it was removed before.</summary>
    public bool RemoveEnded(Worker worker)
    {
        using var held = _lock.EnterScope();
        return Remove(worker);
    }

    /// <summary>Under the lock: calls a worker back, or else enlists one, which the caller starts. Throws nothing.</summary>
    private bool TryCallBackOrEnlist(bool isRescue, out Worker? enlisted)
    {
        Chaos.Point("ThreadRoster.TryCallBackOrEnlist");
        enlisted = null;
        if ((isRescue ? _rescueReserve : _reserve).TryCallBack())
        {
            CountsChanged();
            return true;
        }

        try
        {
            enlisted = Enlist(isRescue);
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            Postpone(exception);
            return false;
        }
    }

    /// <summary>Under the lock. Throws where memory is short, or where the monitor, which comes before the first worker, cannot be
    /// started; then nothing has changed.</summary>
    private Worker Enlist(bool isRescue = false)
    {
        int index = LowestFreeIndex();
        Failpoints.Growth?.Invoke("worker");
        Worker worker = _create(index, isRescue);
        Worker[] after = [.. _state.Workers, worker]; // all allocations come before the first change
        if (isRescue)
        {
            _state.Injector.BeginSorting(RescueShares.Generations); // allocates first
            _state.RescueCount++;
        }

        _state.ThreadCount++;
        _startingCount++;
        _state.Workers = after;
        CountsChanged();
        return worker;
    }

    /// <summary>Starts the thread of an enlisted worker. Throws where that fails; then the worker is removed, and what relied on it
    /// is monitored. Not under the lock.</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="postpones">Whether a failure postpones further starts.</param>
    private void Start(Worker worker, bool postpones)
    {
        Chaos.Point("ThreadRoster.Start, enlisted");
        try
        {
            worker.Start();
        }
        catch (Exception exception)
        {
            Chaos.Point("ThreadRoster.Start, failed");
            using (_lock.EnterScope())
            {
                _startingCount--;
                Remove(worker);
                if (postpones)
                {
                    Postpone(exception);
                }
            }

            _notStarted();
            throw;
        }

        using var held = _lock.EnterScope();
        _startingCount--;
        _postponement.NoteStart();
    }

    /// <summary>As <see cref="Start"/>, for items that are published: throws nothing (T36).</summary>
    private bool TryStart(Worker worker)
    {
        try
        {
            Start(worker, postpones: true);
            return true;
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    /// <summary>Under the lock.</summary>
    private void Postpone(Exception exception)
    {
        bool isFirst = _postponement.Begin();
        Chaos.Point("ThreadRoster.Postpone");
        CountsChanged();
        if (isFirst)
        {
            NativeThreadingEventSource.Log.ThreadStartFailed(_options.Name, exception.Message, _state.ThreadCount);
        }
    }

    private int LowestFreeIndex()
    {
        bool[] taken = new bool[_state.Workers.Length + 1];
        foreach (Worker worker in _state.Workers)
        {
            if (worker.Index < taken.Length)
            {
                taken[worker.Index] = true;
            }
        }

        int free = 0; // without Array.IndexOf: the framework contains no compiled code for it with bool
        while (taken[free])
        {
            free++;
        }

        return free;
    }

    /// <summary>Under the lock. Throws nothing. <see langword="false"/>: the worker was removed before.</summary>
    private bool Remove(Worker worker)
    {
        if (!worker.IsListed)
        {
            return false;
        }

        worker.EndLooking(); // no thread may count on it any more
        worker.IsListed = false;
        try
        {
            _state.Workers = Array.FindAll(_state.Workers, static worker => worker.IsListed);
        }
        catch (OutOfMemoryException)
        {
            // It stays in the array until that is next replaced. It has no items, and no thread waits for it.
        }

        Chaos.Point("ThreadRoster.Remove, not listed");
        _state.ThreadCount--;
        _ofEnded += worker.Totals;
        if (worker.Blocking.IsCounted)
        {
            worker.Blocking.IsCounted = false;
            CountBlocked(worker, -1);
        }

        if (worker.IsRescue && --_state.RescueCount == 0)
        {
            _state.Injector.EndSorting();
        }

        CountsChanged();
        return true;
    }
}
