using NativeThreading;
using NativeThreading.Testing;

// Code that takes the interface, stepped through by a test.
static Task<int> CountAsync(IWorkScheduler scheduler, TimeProvider time) => scheduler.Run(async () =>
{
    await Task.Delay(TimeSpan.FromHours(1), time);
    return 42;
});

var pool = new ManualThreadPool();
Task<int> count = CountAsync(pool, pool.Clock);
Console.WriteLine($"waiting: {pool.PendingWorkItemCount}, ran: {pool.RunAll()}, done: {count.IsCompleted}");
pool.RunFor(TimeSpan.FromHours(1));
Console.WriteLine($"done: {count.IsCompleted}, result: {await count}");
