using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace NativeThreading.Tests.Support;

/// <summary>What the meter NativeThreading says about one pool: what it counts, and the sums of what it times.</summary>
internal sealed class PoolMeter : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, double> _values = new();
    private readonly ConcurrentDictionary<string, string?> _units = new();
    private readonly string _pool;

    public PoolMeter(string pool)
    {
        _pool = pool;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "NativeThreading" && instrument.Meter.Scope is null
                && instrument.Name.StartsWith("native_threading.pool.", StringComparison.Ordinal))
            {
                _units[instrument.Name] = instrument.Unit;
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags, static (_, count) => count));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags, static (sum, time) => sum + time));
        _listener.Start();
    }

    /// <summary>The instruments there are, with their units.</summary>
    public IReadOnlyDictionary<string, string?> Units => _units;

    public int Injected => (int)this["thread.injected"];

    public double this[string instrument]
    {
        get
        {
            _listener.RecordObservableInstruments();
            return _values.GetValueOrDefault($"native_threading.pool.{instrument}");
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, Func<double, double, double> combine)
    {
        Assert.Equal(1, tags.Length);
        Assert.Equal("native_threading.pool.name", tags[0].Key);
        if (tags[0].Value as string == _pool)
        {
            _values.AddOrUpdate(instrument.Name, value, (_, before) => combine(before, value));
        }
    }
}
