using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace NativeThreading.Hosting.Tests.Support;

/// <summary>Listens to the meters NativeThreading of one origin: a container's factory, or none for the static one. Of pools, or of loops.</summary>
internal sealed class MeterRecord : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<Instrument> _instruments = new();
    private readonly ConcurrentDictionary<(string Name, string Instrument), ConcurrentQueue<double>> _values = new();
    private readonly string _prefix;

    public MeterRecord(object? scope, Func<Instrument, bool>? wanted = null, string of = "pool")
    {
        _prefix = $"native_threading.{of}.";
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "NativeThreading" && instrument.Meter.Scope == scope
                && instrument.Name.StartsWith(_prefix, StringComparison.Ordinal) && wanted?.Invoke(instrument) != false)
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

    public IEnumerable<string> Names
    {
        get
        {
            _listener.RecordObservableInstruments();
            return _values.Keys.Select(key => key.Name).Distinct();
        }
    }

    /// <summary>Asks, and returns the newest value; NaN if there is none.</summary>
    public double Now(string name, string instrument)
    {
        _listener.RecordObservableInstruments();
        return All(name, instrument).LastOrDefault(double.NaN);
    }

    /// <summary>Everything that was reported.</summary>
    public double[] All(string name, string instrument) =>
        _values.TryGetValue((name, instrument), out ConcurrentQueue<double>? values) ? [.. values] : [];

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        KeyValuePair<string, object?> tag = Assert.Single(tags.ToArray());
        Assert.Equal($"{_prefix}name", tag.Key);
        _values.GetOrAdd(((string)tag.Value!, instrument.Name[_prefix.Length..]), _ => new()).Enqueue(value);
    }
}
