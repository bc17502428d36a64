namespace NativeThreading.Workloads.RoundTrip;

/// <summary>One run: submit an item from outside the pool, wait until it has run, again and again.</summary>
internal static class RoundTripRun
{
    private const int Trips = 10_000;
    private const int TripsBeforeTheClock = 200;

    private static readonly WaitCallback s_arrive = static state => ((Trip)state!).Arrive();

    public static Sample Measure<TPool>(Func<Waiter> createWaiter)
        where TPool : struct, IPool
    {
        using Waiter waiter = createWaiter();
        var trip = new Trip(waiter);

        // Threads exist and have found their rhythm before the clock starts (T121).
        Repeat<TPool>(trip, TripsBeforeTheClock);
        Meter meter = Meter.Start();
        Repeat<TPool>(trip, Trips);
        Reading reading = meter.Stop();

        if (trip.Arrivals != Trips + TripsBeforeTheClock)
        {
            throw new MeasurementException($"{default(TPool).Name}: {trip.Arrivals} items ran instead of {Trips + TripsBeforeTheClock}.");
        }

        return reading.NanosecondsPer(Trips);
    }

    private static void Repeat<TPool>(Trip trip, int count)
        where TPool : struct, IPool
    {
        int here = Environment.CurrentManagedThreadId;
        for (int i = 0; i < count; i++)
        {
            default(TPool).Queue(s_arrive, trip);
            if (!trip.Waiter.Wait(PoolExtensions.Deadline))
            {
                throw new MeasurementException($"{default(TPool).Name}: an item did not run within {PoolExtensions.Deadline.TotalSeconds} s.");
            }

            if (trip.ThreadId == here)
            {
                throw new MeasurementException($"{default(TPool).Name}: the item ran on the submitting thread (T120).");
            }
        }
    }

    /// <summary>Written by the worker before it sets the waiter, read by the submitter after it has waited.</summary>
    private sealed class Trip(Waiter waiter)
    {
        public Waiter Waiter { get; } = waiter;

        public int Arrivals { get; private set; }

        public int ThreadId { get; private set; }

        public void Arrive()
        {
            Arrivals++;
            ThreadId = Environment.CurrentManagedThreadId;
            Waiter.Set();
        }
    }
}
