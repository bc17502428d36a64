namespace NativeThreading.Testing.Tests.Contract;

/// <summary>Every loop that takes a token, by name, over the numbers from 0.</summary>
public static class LoopCalls
{
    private static readonly Dictionary<string, Action<IWorkScheduler, int, Action<int>, CancellationToken>> s_loops = new()
    {
        ["For(int)"] = static (scheduler, count, body, token) => scheduler.For(0, count, body, token),
        ["For(long)"] = static (scheduler, count, body, token) => scheduler.For(10_000_000_000L, 10_000_000_000L + count, i => body((int)(i - 10_000_000_000L)), token),
        ["ForEach(array)"] = static (scheduler, count, body, token) => scheduler.ForEach(Enumerable.Range(0, count).ToArray(), body, token),
        ["ForEach(list)"] = static (scheduler, count, body, token) => scheduler.ForEach(Enumerable.Range(0, count).ToList(), body, token),
        ["ForEach(sequence)"] = static (scheduler, count, body, token) => scheduler.ForEach(Enumerable.Range(0, count).Where(static _ => true), body, token),
        ["Invoke"] = static (scheduler, count, body, token) => scheduler.Invoke(token, [.. Enumerable.Range(0, count).Select(i => (Action)(() => body(i)))]),
    };

    public static TheoryData<string> Names => [.. s_loops.Keys];

    public static void Run(string loop, IWorkScheduler scheduler, int count, Action<int> body, CancellationToken token) =>
        s_loops[loop](scheduler, count, body, token);
}
