namespace NativeThreading.Samples.Dashboard;

/// <summary>Work that computes a little, and work that waits: code as one inherits it.</summary>
internal static class Reports
{
    /// <summary>Computes for about a millisecond, and asks a database for a few more.</summary>
    public static int Render()
    {
        int sum = 0;
        for (int i = 0; i < 300_000; i++)
        {
            sum = unchecked((sum * 31) + i);
        }

        Thread.Sleep(Random.Shared.Next(2, 8));
        return sum;
    }

    /// <summary>The same as an item of a pool.</summary>
    public static void RenderOne(object? state) => Render();

    /// <summary>Blocks its thread for seconds: a supplier's service that is slow today.</summary>
    public static void WaitForSupplier(TimeSpan time) => Thread.Sleep(time);
}
