using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using NativeThreading.Dashboard.Json;
using NativeThreading.Diagnostics;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>Samples for all viewers of an application: the first to come starts it, the last to leave stops it. In between there is one
/// timer and one observer; else there is neither. Any thread.</summary>
[SuppressMessage("Design", "CA1001", Justification = "What it holds is disposed of when the last viewer leaves.")]
internal sealed class Sampler(string processName, TimeProvider clock, ILogger logger)
{
    /// <summary>The pause between two samples.</summary>
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly List<Viewer> _viewers = [];
    private ThreadObserver? _observer; // these four exist while there are viewers
    private SampleMaker? _maker;
    private ITimer? _timer;
    private PublishedSample? _last;
    private long _sequence;

    /// <summary>How many look.</summary>
    public int ViewerCount
    {
        get
        {
            lock (_lock)
            {
                return _viewers.Count;
            }
        }
    }

    /// <summary>Samples taken so far.</summary>
    public long SampleCount => Volatile.Read(ref _sequence);

    /// <summary>Whether anything is observed at all.</summary>
    public bool IsObserving
    {
        get
        {
            lock (_lock)
            {
                return _observer is not null || _timer is not null;
            }
        }
    }

    /// <summary>A viewer that has a sample at once: the last one, or for the first viewer a new one. Null if there are <paramref name="most"/>
    /// already.</summary>
    public Viewer? TryJoin(int most)
    {
        var viewer = new Viewer(this);
        lock (_lock)
        {
            if (_viewers.Count >= most)
            {
                return null;
            }

            _viewers.Add(viewer);
            if (_viewers.Count == 1)
            {
                Start();
            }

            if (_last is not null)
            {
                viewer.Publish(_last);
            }
        }

        return viewer;
    }

    /// <summary>The viewer looks no more.</summary>
    public void Leave(Viewer viewer)
    {
        lock (_lock)
        {
            if (_viewers.Remove(viewer) && _viewers.Count == 0)
            {
                Stop();
            }
        }
    }

    /// <summary>The next sample has no waits from before.</summary>
    public void Reset()
    {
        lock (_lock)
        {
            if (_observer is not null)
            {
                _maker!.Forget(_observer.TakeSnapshot());
            }
        }
    }

    private void Start()
    {
        try
        {
            _observer = new ThreadObserver();
            _maker = new SampleMaker(processName, clock);
            Sample();
            _timer = clock.CreateTimer(static sampler => ((Sampler)sampler!).Tick(), this, s_interval, s_interval);
        }
        catch
        {
            _viewers.Clear();
            Stop();
            throw;
        }
    }

    private void Stop()
    {
        _timer?.Dispose();
        _observer?.Dispose();
        (_timer, _observer, _maker, _last) = (null, null, null, null);
    }

    private void Tick()
    {
        lock (_lock)
        {
            // A tick may come while the last viewer leaves, and a late one right before the next.
            if (_timer is null || (_last is not null && clock.GetElapsedTime(_last.TakenAt) < s_interval / 2))
            {
                return;
            }

            try
            {
                Sample();
            }
            catch (Exception exception)
            {
                Log.SampleFailed(logger, exception); // on a timer's thread it would end the process
            }
        }
    }

    /// <summary>Under the lock.</summary>
    private void Sample()
    {
        long sequence = _sequence + 1;
        Volatile.Write(ref _sequence, sequence);
        Sample sample = _maker!.Next(_observer!.TakeSnapshot(), sequence);
        _last = new PublishedSample(sequence, SampleJson.Of(sample), clock.GetTimestamp());
        foreach (Viewer viewer in _viewers)
        {
            viewer.Publish(_last);
        }
    }
}
