using NativeThreading;

namespace Between;

/// <summary>A class library that uses the package. Who uses the library need not know of that.</summary>
public static class Reports
{
    public static async Task<string> RunAsync()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports" });
        string worker = await pool.Run(static () => Thread.CurrentThread.Name![.."reports-worker".Length]);
        return $"{worker} on the core {NativeThreadPool.Core}";
    }
}
