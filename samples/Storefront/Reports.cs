namespace NativeThreading.Samples.Storefront;

/// <summary>What a few people want, and wait for. Each blocks a thread while it does: code as one inherits it.</summary>
internal static class Reports
{
    private static readonly TimeSpan s_query = TimeSpan.FromMilliseconds(200);

    /// <summary>As a database driver without async calls does.</summary>
    public static Report Sales()
    {
        Thread.Sleep(s_query);
        return new Report("Sales", Rows: 100);
    }

    /// <summary>Sync over async: holds a thread until another one has run the rest of the query.</summary>
    public static Report Stock() => new("Stock", QueryAsync().GetAwaiter().GetResult());

    private static async Task<int> QueryAsync()
    {
        await Task.Delay(s_query);
        return 100;
    }
}
