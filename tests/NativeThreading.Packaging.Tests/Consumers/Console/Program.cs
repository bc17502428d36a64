using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using NativeThreading;
using NativeThreading.EventLoops;

// Exit code 93: the library said that it cannot work here, and why. On standard error: what it warned of.
using var warnings = new Warnings();
try
{
    await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "reports", MaxThreads = 2 });

    using var done = new CountdownEvent(1_000);
    for (int i = 0; i < 1_000; i++)
    {
        pool.QueueUserWorkItem(static signal => signal.Signal(), done, preferLocal: false);
    }

    Console.WriteLine($"items: {done.Wait(TimeSpan.FromSeconds(30))}");
    Console.WriteLine($"run: {await pool.Run(static async () =>
    {
        await Task.Yield();
        return Thread.CurrentThread.Name![.."reports-worker".Length];
    })}");

    var group = new WorkGroup(pool);
    int[] squares = new int[100];
    group.QueueRange<int>(index => squares[index] = index * index, Enumerable.Range(0, 100).ToArray());
    group.Wait();
    Console.WriteLine($"group: {squares.Sum()}");

    await using var loop = new EventLoop(new EventLoopOptions { Name = "io" });
    Console.WriteLine($"loop: {await loop.InvokeAsync(async () =>
    {
        await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
        return await loop.OffloadAsync(pool, static () => 42);
    })}");

    using var semaphore = new LifoSemaphore();
    semaphore.Release(1);
    Console.WriteLine($"semaphore: {semaphore.Wait(TimeSpan.FromSeconds(30))}");
}
catch (PlatformNotSupportedException exception)
{
    Console.WriteLine(exception.Message);
    return 93;
}

Console.WriteLine($"core: {NativeThreadPool.Core}");

// How it came to run: the tests want to know that they tested what they say.
Console.WriteLine($"dynamic code: {RuntimeFeature.IsDynamicCodeSupported}");
Console.WriteLine($"framework: {Environment.Version.Major}");
const string maps = "/proc/self/maps"; // of Linux
string[] libraries = File.Exists(maps)
    ? [.. File.ReadLines(maps).Where(line => line.EndsWith("libnativethreading.so", StringComparison.Ordinal)).Select(line => line.Split(' ')[^1])]
    : [];
Console.WriteLine($"native: {libraries.FirstOrDefault("none")}");
#if SEED_A_TRIM_WARNING
Console.WriteLine(Type.GetType(Console.ReadLine()!)!.GetMethods().Length);
#endif
return 0;

internal sealed class Warnings : EventListener
{
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "NativeThreading")
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData) =>
        Console.Error.WriteLine($"{eventData.EventName}: {string.Join(' ', eventData.Payload!)}");
}
