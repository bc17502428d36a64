using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace NativeThreading.Tests.Starvation;

/// <summary>Adds up what the meter NativeThreading says about one pool while it lives.</summary>
internal sealed class PoolMeter : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, double> _sums = new();
    private readonly ConcurrentDictionary<string, string?> _units = new();
    private readonly string _pool;

    public PoolMeter(string pool)
    {
        _pool = pool;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "NativeThreading")
            {
                _units[instrument.Name] = instrument.Unit;
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.Start();
    }

    /// <summary>The instruments there are, with their units.</summary>
    public IReadOnlyDictionary<string, string?> Units => _units;

    public int Injected => (int)this["thread.injected"];

    public double this[string instrument] => _sums.GetValueOrDefault($"native_threading.pool.{instrument}");

    public void Dispose() => _listener.Dispose();

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        Assert.Equal(1, tags.Length);
        Assert.Equal("native_threading.pool.name", tags[0].Key);
        if (tags[0].Value as string == _pool)
        {
            _sums.AddOrUpdate(instrument.Name, value, (_, sum) => sum + value);
        }
    }
}
