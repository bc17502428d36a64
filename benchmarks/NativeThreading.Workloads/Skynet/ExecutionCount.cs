namespace NativeThreading.Workloads.Skynet;

/// <summary>Counts executions per thread, so that counting costs no shared word: the total is read when all is over.</summary>
internal static class ExecutionCount
{
    private static readonly Lock s_lock = new();
    private static readonly List<Box> s_boxes = [];

    [ThreadStatic]
    private static Box? t_box;

    /// <summary>Of all threads so far; exact when nothing runs and the caller has waited for what ran.</summary>
    public static long Total
    {
        get
        {
            lock (s_lock)
            {
                return s_boxes.Sum(static box => Volatile.Read(ref box.Count.Value));
            }
        }
    }

    public static void Add() => (t_box ?? Register()).Count.Value++;

    private static Box Register()
    {
        var box = new Box();
        lock (s_lock)
        {
            s_boxes.Add(box);
        }

        return t_box = box;
    }

    private sealed class Box
    {
        public PaddedCount Count;
    }
}
