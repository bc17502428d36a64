using System.Diagnostics.Metrics;

namespace NativeThreading.Tests.Diagnostics;

/// <summary>A meter of its own for a pool, with a listener that calls something at each measurement of one instrument.</summary>
internal sealed class ListenedMeter : IMeterFactory
{
    private readonly List<Meter> _meters = [];
    private readonly MeterListener _listener = new();
    private int _measurements;

    public ListenedMeter(Action measured, string name = "native_threading.pool.queue.duration")
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Scope == this && instrument.Name == name)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((_, _, _, _) =>
        {
            Interlocked.Increment(ref _measurements);
            measured();
        });
        _listener.Start();
    }

    public int Measurements => Volatile.Read(ref _measurements);

    public Meter Create(MeterOptions options)
    {
        options.Scope = this;
        var meter = new Meter(options);
        _meters.Add(meter);
        return meter;
    }

    public void Dispose()
    {
        _listener.Dispose();
        _meters.ForEach(static meter => meter.Dispose());
    }
}
