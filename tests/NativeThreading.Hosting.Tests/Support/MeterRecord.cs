using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>Listens to the meters NativeThreading of one origin: a container's factory, or none for the static one.</summary>
internal sealed class MeterRecord : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<Instrument> _instruments = new();
    private readonly ConcurrentDictionary<(string Pool, string Instrument), ConcurrentQueue<double>> _values = new();

    public MeterRecord(object? scope, Func<Instrument, bool>? wanted = null)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "NativeThreading" && instrument.Meter.Scope == scope && wanted?.Invoke(instrument) != false)
            {
                _instruments.Enqueue(instrument);
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.Start();
    }

    public IReadOnlyList<Instrument> Instruments => [.. _instruments];

    public IEnumerable<string> Pools
    {
        get
        {
            _listener.RecordObservableInstruments();
            return _values.Keys.Select(key => key.Pool).Distinct();
        }
    }

    /// <summary>Asks, and returns the newest value; NaN if there is none.</summary>
    public double Now(string pool, string instrument)
    {
        _listener.RecordObservableInstruments();
        return All(pool, instrument).LastOrDefault(double.NaN);
    }

    /// <summary>Everything that was told.</summary>
    public double[] All(string pool, string instrument) =>
        _values.TryGetValue((pool, instrument), out ConcurrentQueue<double>? values) ? [.. values] : [];

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        KeyValuePair<string, object?> tag = Assert.Single(tags.ToArray());
        Assert.Equal("native_threading.pool.name", tag.Key);
        Assert.StartsWith("native_threading.pool.", instrument.Name, StringComparison.Ordinal);
        _values.GetOrAdd(((string)tag.Value!, instrument.Name["native_threading.pool.".Length..]), _ => new()).Enqueue(value);
    }
}
