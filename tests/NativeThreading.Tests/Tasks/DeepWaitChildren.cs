using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Tasks;

/// <summary>What the child processes of <see cref="DeepWaitTests"/> do.</summary>
internal static class DeepWaitChildren
{
    public const string StackVariable = "NTH_TEST_STACK";
    public const string DepthVariable = "NTH_TEST_DEPTH";
    public const string InTaskVariable = "NTH_TEST_IN_TASK";

    /// <summary>Each item queues one and waits for it: all must run, once, and no more threads than the depth needs stacks.</summary>
    public static int Chain()
    {
        int depth = Number(DepthVariable);
        using var pool = new NativeThreadPool(new NativeThreadPoolOptions { MaxThreads = 1, MaxStackSize = Number(StackVariable) });
        bool inTask = Environment.GetEnvironmentVariable(InTaskVariable) == bool.TrueString;
        int ran = 0;
        void Level(int left)
        {
            Interlocked.Increment(ref ran);
            if (left != 0)
            {
                var group = new WorkGroup(pool);
                group.QueueRange(Level, [left - 1]);
                group.Wait();
            }
        }

        if (inTask)
        {
            Deadline.Wait(pool.Run(() => Level(depth)));
        }
        else
        {
            pool.OnWorker(() => Level(depth));
        }

        Console.WriteLine($"{ran} ran, {pool.ThreadCount} threads, {pool.PendingWorkItemCount} pending");
        return ran == depth + 1 && pool.ThreadCount < depth / 50 && pool.PendingWorkItemCount == 0 ? 0 : 1;
    }

    private static int Number(string variable) => int.Parse(Environment.GetEnvironmentVariable(variable)!, CultureInfo.InvariantCulture);
}
