namespace NativeThreading.Workloads.Quwi;

/// <summary>One measured run of one cell.</summary>
internal static class QuwiRun
{
    public static Sample Measure<TForm>(int depth, int parallelism, int callbacks = QuwiWork.Callbacks)
        where TForm : struct, IForm
    {
        var work = new QuwiWork<TForm>(depth, parallelism, callbacks);
        Meter meter = Meter.Start();
        bool ended = work.Run();
        Reading reading = meter.Stop();

        if (!ended || work.Executed != callbacks)
        {
            throw new MeasurementException(
                $"{typeof(TForm)}, depth {depth}, parallelism {parallelism}: {work.Executed:N0} callbacks were executed "
                + $"instead of {callbacks:N0}{(ended ? "" : " before the deadline")} (T122).");
        }

        return reading.MillionsPerSecond(callbacks);
    }
}
