using System.Diagnostics.Metrics;

namespace NativeThreading.Workloads.Blocked;

/// <summary>Adds up the counter of injected threads of this process while it lives.</summary>
internal sealed class Injections : IDisposable
{
    private readonly MeterListener _listener = new();
    private long _count;

    public Injections()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name == "native_threading.pool.thread.injected")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<int>((_, value, _, _) => Interlocked.Add(ref _count, value));
        _listener.Start();
    }

    public long Count => Volatile.Read(ref _count);

    public void Dispose() => _listener.Dispose();
}
