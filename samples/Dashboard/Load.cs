namespace NativeThreading.Samples.Dashboard;

/// <summary>A light load that rises and falls within twenty seconds, and now and then something that blocks.</summary>
internal sealed class Load(
    [FromKeyedServices("reports")] NativeThreadPool reports, [FromKeyedServices("mail")] NativeThreadPool mail) : BackgroundService
{
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(100);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(s_step);
        for (int step = 0; await timer.WaitForNextTickAsync(stoppingToken); step++)
        {
            double tide = 1 + Math.Sin(step * Math.PI / 100);
            for (int i = 0; i < (int)(8 * tide); i++)
            {
                reports.TryQueueUserWorkItem(Reports.RenderOne, null);
            }

            for (int i = 0; i < (int)(4 * tide); i++)
            {
                _ = mail.Run(Mails.SendAsync, CancellationToken.None);
            }

            if (step % 25 == 0)
            {
                TimeSpan time = TimeSpan.FromSeconds(Random.Shared.Next(2, 7));
                reports.TryQueueUserWorkItem(Reports.WaitForSupplier, time, preferLocal: false);
            }

            if (step % 300 == 200)
            {
                Burst();
            }
        }
    }

    /// <summary>More than the queue takes: some are refused.</summary>
    private void Burst()
    {
        for (int i = 0; i < 300; i++)
        {
            reports.TryQueueUserWorkItem(Reports.RenderOne, null);
        }
    }
}
