using System.Collections.Concurrent;
using System.Numerics;

namespace NativeThreading.SoakProgram.Watch;

/// <summary>How long the phases of each name have taken. Thread-safe.</summary>
internal sealed class PhaseTimes
{
    private readonly ConcurrentDictionary<string, Times> _times = [];

    public void Add(string phase, TimeSpan time) => _times.GetOrAdd(phase, static _ => new Times()).Add(time);

    public IReadOnlyList<PhaseTime> All =>
        [.. _times.OrderBy(static t => t.Key, StringComparer.Ordinal).Select(static t => t.Value.Summary(t.Key))];

    public PhaseTime? Of(string phase) => _times.TryGetValue(phase, out Times? times) ? times.Summary(phase) : null;

    /// <summary>Counts by size, sixteen sizes to a power of two of microseconds: 6 % apart.</summary>
    private sealed class Times
    {
        private const int Steps = 16;
        private readonly long[] _counts = new long[64 * Steps];
        private long _count;
        private long _worst;

        public void Add(TimeSpan time)
        {
            lock (_counts)
            {
                long us = Math.Max(0, (long)time.TotalMicroseconds);
                _counts[IndexOf(us)]++;
                _count++;
                _worst = Math.Max(_worst, us);
            }
        }

        public PhaseTime Summary(string name)
        {
            lock (_counts)
            {
                return new PhaseTime(name, _count, Quantile(0.5), Quantile(0.99), TimeSpan.FromMicroseconds(_worst));
            }
        }

        private TimeSpan Quantile(double part)
        {
            long rank = (long)Math.Ceiling(_count * part);
            for (int i = 0; i < _counts.Length; i++)
            {
                rank -= _counts[i];
                if (rank <= 0)
                {
                    return TimeSpan.FromMicroseconds(Math.Min(UpperEnd(i), _worst));
                }
            }

            return TimeSpan.FromMicroseconds(_worst);
        }

        private static int IndexOf(long us)
        {
            if (us < Steps)
            {
                return (int)us;
            }

            int power = BitOperations.Log2((ulong)us) - 4; // the five highest bits tell
            return ((power + 1) * Steps) + (int)((us >> power) - Steps);
        }

        private static long UpperEnd(int index)
        {
            int power = (index / Steps) - 1;
            return power < 0 ? index : (((index % Steps) + Steps + 1L) << power) - 1;
        }
    }
}

/// <summary>The times of one phase.</summary>
internal sealed record PhaseTime(string Name, long Count, TimeSpan Median, TimeSpan P99, TimeSpan Worst);
