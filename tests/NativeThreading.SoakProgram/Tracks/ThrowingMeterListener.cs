using System.Diagnostics.Metrics;
using NativeThreading.Diagnostics;

namespace NativeThreading.SoakProgram.Tracks;

/// <summary>Listens to the library's measurements, and throws now and then.</summary>
internal sealed class ThrowingMeterListener : IDisposable
{
    private readonly MeterListener _listener = new();
    private int _calls;

    public ThrowingMeterListener()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == PoolMetrics.Name)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((_, _, _, _) => Throw()); // on the pools' threads
        _listener.SetMeasurementEventCallback<long>((_, _, _, _) => Throw()); // on the caller of Measure
        _listener.Start();
    }

    public void Measure()
    {
        try
        {
            _listener.RecordObservableInstruments();
        }
        catch (Exception exception) when (exception is SoakException or AggregateException)
        {
            // Our own.
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Throw()
    {
        if (Interlocked.Increment(ref _calls) % 7 == 0)
        {
            throw new SoakException();
        }
    }
}
