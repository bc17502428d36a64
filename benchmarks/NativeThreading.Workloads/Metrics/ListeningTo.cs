using System.Diagnostics.Metrics;

namespace NativeThreading.Workloads.Metrics;

/// <summary>Listens to the meter NativeThreading as an exporter does, until disposed.</summary>
internal sealed class ListeningTo : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread? _asking;
    private long _measurements;

    public ListeningTo(Measuring measuring, TimeSpan interval)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "NativeThreading")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, _, _, _) => Interlocked.Increment(ref _measurements));
        _listener.SetMeasurementEventCallback<double>((_, _, _, _) => Interlocked.Increment(ref _measurements));
        _listener.Start();
        if (measuring == Measuring.Meter)
        {
            _asking = new Thread(() => Ask(interval)) { IsBackground = true };
            _asking.Start();
        }
    }

    /// <summary>Measurements so far: a listener that heard nothing has measured nothing.</summary>
    public long Measurements => Volatile.Read(ref _measurements);

    public void Dispose()
    {
        _stop.Set();
        _asking?.Join();
        _listener.Dispose();
        _stop.Dispose();
    }

    private void Ask(TimeSpan interval)
    {
        do
        {
            _listener.RecordObservableInstruments();
        }
        while (!_stop.Wait(interval));
    }
}
