using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NativeThreading.Dashboard.Json;
using NativeThreading.Diagnostics;
using NativeThreading.Hosting;

namespace NativeThreading.Dashboard.Sampling;

/// <summary>Takes samples for all viewers of an application, and for the history if one is kept. Then it has one timer and one observer, and otherwise
/// neither. Items are recorded only while there are viewers. Any thread.</summary>
[SuppressMessage("Design", "CA1001", Justification = "What it holds is disposed of when the last viewer leaves, or the application stops.")]
internal sealed class Sampler(string processName, TimeProvider clock, ILogger logger, PoolConditions conditions)
{
    /// <summary>The pause between two samples.</summary>
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    /// <summary>How long samples may repeat the last full one while there is no viewer, nothing happens and nothing is wrong. A thread that blocks
    /// meanwhile may count as running for this long.</summary>
    private static readonly TimeSpan s_rest = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly List<Viewer> _viewers = [];
    private ThreadObserver? _observer; // these four exist while there are viewers or a history
    private SampleMaker? _maker;
    private IDisposable? _timer;
    private PublishedSample? _last;
    private ThreadObserver? _recording; // exists while there are viewers
    private HistoryRing? _history;
    private readonly List<Sample> _unwritten = []; // of a rest: several at once cost the history little more than one
    private bool _keepsHistory;
    private long _sequence;

    /// <summary>The number of viewers.</summary>
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
            try
            {
                _recording ??= new ThreadObserver();
                Start();
                if (_last is null || clock.GetElapsedTime(_last.TakenAt) >= s_interval / 2)
                {
                    Sample();
                }
            }
            catch
            {
                _viewers.Clear();
                StopUnlessNeeded();
                throw;
            }

            viewer.Publish(_last!);
        }

        return viewer;
    }

    /// <summary>Starts a history of this length, or makes it longer.</summary>
    public void KeepHistory(TimeSpan length)
    {
        lock (_lock)
        {
            int points = (int)(length / s_interval);
            if (points > 0 && !_keepsHistory)
            {
                (_history, _keepsHistory) = (new HistoryRing(points), true);
                Start();
            }
        }
    }

    /// <summary>The application stops: the history ends.</summary>
    public void EndHistory()
    {
        lock (_lock)
        {
            _keepsHistory = false;
            StopUnlessNeeded();
        }
    }

    /// <summary>The history as JSON; null if none is kept.</summary>
    public byte[]? History()
    {
        lock (_lock)
        {
            WriteHistory();
            return _history is null ? null : SampleJson.Written(_history.Write);
        }
    }

    /// <summary>The viewer has left.</summary>
    public void Leave(Viewer viewer)
    {
        lock (_lock)
        {
            if (_viewers.Remove(viewer))
            {
                StopUnlessNeeded();
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
        if (_timer is null)
        {
            _observer = new ThreadObserver(recordsItems: false);
            _maker = new SampleMaker(processName, clock, conditions);
            _timer = clock == TimeProvider.System
                ? new Ticker(Tick, s_interval)
                : clock.CreateTimer(static sampler => ((Sampler)sampler!).Tick(), this, s_interval, s_interval);
        }
    }

    private void StopUnlessNeeded()
    {
        if (_viewers.Count != 0)
        {
            return;
        }

        _recording?.Dispose();
        _recording = null;
        if (!_keepsHistory)
        {
            _timer?.Dispose();
            _observer?.Dispose();
            (_timer, _observer, _maker, _last) = (null, null, null, null);
        }
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
        ThreadSnapshot? snapshot = MayRest() ? _observer!.TakeSnapshotIfChanged() : _observer!.TakeSnapshot();
        Sample sample = _maker!.Next(snapshot, sequence);
        _unwritten.Add(sample);
        if (snapshot is not null)
        {
            _last = new PublishedSample(sequence, sample, clock.GetTimestamp());
            WriteHistory();
        }

        foreach (Viewer viewer in _viewers)
        {
            viewer.Publish(_last!);
        }
    }

    private void WriteHistory()
    {
        _unwritten.ForEach(sample => _history?.Add(sample));
        _unwritten.Clear();
    }

    /// <summary>Whether a sample may repeat the one before. Its ages are too old for a viewer, and what is wrong has to be seen to end.</summary>
    private bool MayRest() =>
        _viewers.Count == 0 && _last is { Sample.Verdicts.Count: 0 } && clock.GetElapsedTime(_last.TakenAt) < s_rest && ThreadPool.PendingWorkItemCount == 0;
}

/// <summary>The sampler of each application: one, however often the page is mapped.</summary>
internal static class Samplers
{
    private static readonly ConditionalWeakTable<IServiceProvider, Sampler> s_samplers = [];

    public static Sampler Of(IServiceProvider services) => s_samplers.GetValue(services, static services =>
    {
        TimeProvider clock = services.GetService<TimeProvider>() ?? TimeProvider.System;
        var logs = services.GetRequiredService<ILoggerFactory>();
        var sampler = new Sampler(
            services.GetRequiredService<IHostEnvironment>().ApplicationName,
            clock,
            logs.CreateLogger(Log.Category),
            services.GetService<PoolConditions>() ?? new PoolConditions(Options.Create(new ConditionOptions()), logs.CreateLogger<PoolConditions>(), clock));
        services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(sampler.EndHistory);
        return sampler;
    });
}
