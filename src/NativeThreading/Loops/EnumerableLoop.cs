using System.Diagnostics;
using NativeThreading.Platform;

namespace NativeThreading.Loops;

/// <summary>A loop over a sequence, which one thread at a time enumerates, a piece each time.</summary>
internal sealed class EnumerableLoop<T>(IWorkScheduler scheduler, IEnumerable<T> source, Action<T> body, CancellationToken token)
    : ParallelLoop(scheduler, token)
{
    private readonly UninterruptedLock _lock = new();
    private readonly IEnumerator<T> _items = source.GetEnumerator();
    private bool _isAtEnd; // under the lock

    /// <summary>Runs the loop.</summary>
    public void Run()
    {
        using (_items)
        {
            Run(int.MaxValue);
        }
    }

    protected override void RunIterations()
    {
        T[] buffer = new T[1];
        while (!IsStopped && Take(buffer) is > 0 and int count)
        {
            long began = Stopwatch.GetTimestamp();
            for (int i = 0; i < count; i++)
            {
                if (IsStopped)
                {
                    return;
                }

                body(buffer[i]);
            }

            int next = (int)Math.Min(ParallelTuning.NextPiece((ulong)buffer.Length, Stopwatch.GetTimestamp() - began), ParallelTuning.LongestBuffer);
            buffer = next == buffer.Length ? buffer : new T[next];
        }
    }

    /// <summary>After an exception of the sequence, or its end, nothing more is taken.</summary>
    private int Take(T[] buffer)
    {
        using (_lock.EnterScope())
        {
            int count = 0;
            while (!_isAtEnd && count < buffer.Length)
            {
                _isAtEnd = true;
                if (_items.MoveNext())
                {
                    buffer[count++] = _items.Current;
                    _isAtEnd = false;
                }
            }

            return count;
        }
    }
}
