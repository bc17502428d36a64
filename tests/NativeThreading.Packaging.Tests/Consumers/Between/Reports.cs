using NativeThreading;

namespace Between;

/// <summary>A class library that uses the package. Code that uses the library does not need to know that.</summary>
public static class Reports
{
    public static async Task<string> RunAsync()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports" });
        string worker = await pool.Run(static () => Thread.CurrentThread.Name![.."reports-worker".Length]);
        return $"{worker} on the core {NativeThreadPool.Core}";
    }
}
