using System.Diagnostics;

namespace NativeThreading.Workloads.Order;

/// <summary>One item of one producer: notes when it starts, and then computes, or blocks until the others have ended.</summary>
internal sealed class OrderItem(OrderRun run, int steps, bool blocks)
{
    public static readonly Action<OrderItem> RunTyped = static item => item.Run();
    public static readonly Action<object?> RunObject = static item => ((OrderItem)item!).Run();

    /// <summary>When it started, in ticks of the stopwatch; 0 before.</summary>
    public long Started { get; private set; }

    /// <summary>How often it has run.</summary>
    public int Runs { get; private set; }

    private void Run()
    {
        Started = Stopwatch.GetTimestamp();
        Runs++;
        if (blocks)
        {
            run.AwaitOthers();
        }
        else
        {
            BusyWork.Compute(steps);
        }

        run.Ended();
    }
}
