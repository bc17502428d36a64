using System.Diagnostics;

namespace NativeThreading.Loops;

/// <summary>A loop over numbers. Threads claim pieces that take some microseconds each: a piece grows while it takes less.</summary>
/// <param name="scheduler">The pool.</param>
/// <param name="count">How many iterations there are.</param>
/// <param name="token">The token that stops the loop.</param>
internal abstract class RangeLoop(IWorkScheduler scheduler, ulong count, CancellationToken token) : ParallelLoop(scheduler, token)
{
    private long _claimed; // beyond the count at the end, by a piece for each thread

    /// <summary>Runs the loop.</summary>
    public void Run() => Run((long)Math.Min(count, int.MaxValue));

    /// <summary>Runs the iterations from one offset to another, until the loop is stopped.</summary>
    protected abstract void RunPiece(ulong start, ulong end);

    protected sealed override void RunIterations()
    {
        ulong piece = 1;
        while (!IsStopped)
        {
            ulong claimed = (ulong)Volatile.Read(ref _claimed);
            if (claimed >= count)
            {
                return;
            }

            ulong most = Math.Max(1, (count - claimed) / (2 * (ulong)Degree)); // the last pieces are short, so all threads end together
            piece = Math.Min(piece, most);
            ulong end = (ulong)Interlocked.Add(ref _claimed, (long)piece);
            ulong start = end - piece;
            if (start >= count)
            {
                return;
            }

            long began = Stopwatch.GetTimestamp();
            RunPiece(start, Math.Min(end, count));
            piece = ParallelTuning.NextPiece(piece, Stopwatch.GetTimestamp() - began);
        }
    }
}

internal sealed class IntLoop(IWorkScheduler scheduler, int from, int to, Action<int> body, CancellationToken token)
    : RangeLoop(scheduler, (ulong)((long)to - from), token)
{
    protected override void RunPiece(ulong start, ulong end)
    {
        int last = from + (int)end;
        for (int i = from + (int)start; i != last && !IsStopped; i++)
        {
            body(i);
        }
    }
}

internal sealed class LongLoop(IWorkScheduler scheduler, long from, long to, Action<long> body, CancellationToken token)
    : RangeLoop(scheduler, (ulong)to - (ulong)from, token)
{
    protected override void RunPiece(ulong start, ulong end)
    {
        long last = from + (long)end;
        for (long i = from + (long)start; i != last && !IsStopped; i++)
        {
            body(i);
        }
    }
}

internal sealed class ArrayLoop<T>(IWorkScheduler scheduler, T[] source, Action<T> body, CancellationToken token)
    : RangeLoop(scheduler, (ulong)source.Length, token)
{
    protected override void RunPiece(ulong start, ulong end)
    {
        foreach (T item in source.AsSpan((int)start, (int)(end - start)))
        {
            if (IsStopped)
            {
                return;
            }

            body(item);
        }
    }
}

internal sealed class ListLoop<T>(IWorkScheduler scheduler, IList<T> source, Action<T> body, CancellationToken token)
    : RangeLoop(scheduler, (ulong)source.Count, token)
{
    protected override void RunPiece(ulong start, ulong end)
    {
        for (int i = (int)start; i < (int)end && !IsStopped; i++)
        {
            body(source[i]);
        }
    }
}

/// <summary>Actions, each of which runs whatever the others throw.</summary>
internal sealed class InvokeLoop(IWorkScheduler scheduler, Action[] actions, CancellationToken token) : ParallelLoop(scheduler, token)
{
    private int _claimed;

    protected override void RunIterations()
    {
        for (int i = Interlocked.Increment(ref _claimed) - 1; i < actions.Length && !IsStopped; i = Interlocked.Increment(ref _claimed) - 1)
        {
            try
            {
                actions[i]();
            }
            catch (Exception exception)
            {
                Fail(exception);
            }
        }
    }
}
