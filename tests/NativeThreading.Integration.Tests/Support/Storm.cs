namespace NativeThreading.Integration.Support;

/// <summary>Many operations of a pool at once.</summary>
internal static class Storm
{
    /// <summary>Begins them all before the first is awaited; their results in the order of their numbers.</summary>
    public static Task<T[]> StormAsync<T>(this NativeThreadPool pool, int count, Func<int, Task<T>> operation) =>
        Deadline.For(Task.WhenAll(Enumerable.Range(0, count).Select(i => pool.Run(() => operation(i)))), $"{count} operations");

    /// <inheritdoc cref="StormAsync{T}"/>
    public static Task StormAsync(this NativeThreadPool pool, int count, Func<int, Task> operation) =>
        Deadline.For(Task.WhenAll(Enumerable.Range(0, count).Select(i => pool.Run(() => operation(i)))), $"{count} operations");
}
