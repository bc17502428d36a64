namespace NativeThreading.Samples.Incident;

/// <summary>Clients: forty requests a second for a report, and some mails. Each has two seconds of patience, as a browser with a timeout would.</summary>
internal sealed class Traffic([FromKeyedServices("mail")] NativeThreadPool mail) : BackgroundService
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(25);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    /// <summary>Where the application listens; set when it does.</summary>
    public Uri? Address { get; set; }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var client = new HttpClient { Timeout = s_patience };
        using var timer = new PeriodicTimer(s_pause);
        for (int i = 0; await timer.WaitForNextTickAsync(stoppingToken); i++)
        {
            if (Address is { } address)
            {
                _ = AskAsync(client, new Uri(address, "/report"), stoppingToken);
            }

            if (i % 4 == 0)
            {
                _ = mail.Run(SendAsync, CancellationToken.None);
            }
        }
    }

    private static async Task AskAsync(HttpClient client, Uri report, CancellationToken stoppingToken)
    {
        try
        {
            using HttpResponseMessage response = await client.GetAsync(report, stoppingToken);
        }
        catch (Exception exception) when (exception is HttpRequestException or OperationCanceledException)
        {
            // The application is what this sample shows; its clients give up.
        }
    }

    private static async Task SendAsync()
    {
        await Task.Delay(Random.Shared.Next(5, 50));
        Thread.SpinWait(5_000);
    }
}
