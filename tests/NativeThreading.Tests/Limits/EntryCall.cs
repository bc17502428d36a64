namespace NativeThreading.Tests.Limits;

/// <summary>The calls by which work comes in, by name: each queues one item that performs an action.</summary>
internal static class EntryCall
{
    private static readonly Dictionary<string, Action<NativeThreadPool, Action>> s_synchronous = new()
    {
        ["QueueUserWorkItem(callback)"] = (pool, item) => pool.QueueUserWorkItem(_ => item()),
        ["QueueUserWorkItem(callback, state)"] = (pool, item) => pool.QueueUserWorkItem(_ => item(), "state"),
        ["QueueUserWorkItem<class>"] = (pool, item) => pool.QueueUserWorkItem(_ => item(), "state", preferLocal: false),
        ["QueueUserWorkItem<struct>, local"] = (pool, item) => pool.QueueUserWorkItem(_ => item(), 1, preferLocal: true),
        ["UnsafeQueueUserWorkItem"] = (pool, item) => pool.UnsafeQueueUserWorkItem(_ => item(), null),
        ["UnsafeQueueUserWorkItem<class>, local"] = (pool, item) => pool.UnsafeQueueUserWorkItem(_ => item(), "state", preferLocal: true),
        ["UnsafeQueueUserWorkItem(IThreadPoolWorkItem)"] = (pool, item) => pool.UnsafeQueueUserWorkItem(new Executable(item), preferLocal: false),
        ["Run(Action)"] = (pool, item) => pool.Run(item),
        ["Run(Func)"] = (pool, item) => pool.Run(() =>
        {
            item();
            return 1;
        }),
        ["Run(async)"] = (pool, item) => pool.Run(async () =>
        {
            item();
            await Task.Yield();
        }),
        ["Run(async with a result)"] = (pool, item) => pool.Run(async () =>
        {
            item();
            await Task.Yield();
            return 1;
        }),
        ["Task.Run(pool)"] = (pool, item) => Task.Run(pool, item),
    };

    private static readonly Dictionary<string, Func<NativeThreadPool, Action, CancellationToken, Task>> s_asynchronous = new()
    {
        ["QueueAsync(callback, state)"] = (pool, item, token) => pool.QueueAsync(_ => item(), null, token).AsTask(),
        ["QueueAsync<class>"] = (pool, item, token) => pool.QueueAsync(_ => item(), "state", token).AsTask(),
        ["QueueAsync<struct>"] = (pool, item, token) => pool.QueueAsync(_ => item(), 1, token).AsTask(),
        ["RunAsync(Action)"] = (pool, item, token) => pool.RunAsync(item, token),
        ["RunAsync(Func)"] = (pool, item, token) => pool.RunAsync(
            () =>
            {
                item();
                return 1;
            },
            token),
        ["RunAsync(async)"] = (pool, item, token) => pool.RunAsync(
            async () =>
            {
                item();
                await Task.Yield();
            },
            token),
        ["RunAsync(async with a result)"] = (pool, item, token) => pool.RunAsync(
            async () =>
            {
                item();
                await Task.Yield();
                return 1;
            },
            token),
    };

    public static TheoryData<string> Synchronous => [.. s_synchronous.Keys];

    public static TheoryData<string> Asynchronous => [.. s_asynchronous.Keys];

    public static void Queue(this NativeThreadPool pool, string call, Action item) => s_synchronous[call](pool, item);

    /// <summary>For a queueing call the acceptance, for a running one the outcome.</summary>
    public static Task QueueAsync(this NativeThreadPool pool, string call, Action item, CancellationToken token = default) =>
        s_asynchronous[call](pool, item, token);

    private sealed class Executable(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
