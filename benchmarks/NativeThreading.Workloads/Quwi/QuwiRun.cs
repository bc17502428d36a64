namespace NativeThreading.Workloads.Quwi;

/// <summary>One measured run of one cell.</summary>
internal static class QuwiRun
{
    public static Sample Measure<TForm>(int depth, int parallelism)
        where TForm : struct, IForm
    {
        var work = new QuwiWork<TForm>(depth, parallelism);
        Meter meter = Meter.Start();
        bool ended = work.Run();
        Reading reading = meter.Stop();

        if (!ended || work.Executed != QuwiWork.Callbacks)
        {
            throw new MeasurementException(
                $"{typeof(TForm)}, depth {depth}, parallelism {parallelism}: {work.Executed:N0} callbacks were executed "
                + $"instead of {QuwiWork.Callbacks:N0}{(ended ? "" : " before the deadline")} (T122).");
        }

        return reading.MillionsPerSecond(QuwiWork.Callbacks);
    }
}
