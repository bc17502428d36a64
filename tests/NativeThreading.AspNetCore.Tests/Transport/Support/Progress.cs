using System.Diagnostics;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>How far a side has come that the other one holds up.</summary>
internal sealed class Progress
{
    // That nothing happens has no event. Too short a time makes the bound that is checked behind it weaker, never wrong.
    private static readonly TimeSpan s_still = TimeSpan.FromMilliseconds(150);

    private long _bytes;

    public long Bytes => Volatile.Read(ref _bytes);

    public void Add(int bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <summary>Returns when it has started and then stands still.</summary>
    public async Task<long> StandstillAsync()
    {
        long began = Stopwatch.GetTimestamp();
        long last = 0;
        for (long since = began; last == 0 || Stopwatch.GetElapsedTime(since) < s_still;)
        {
            await Task.Delay(5);
            if (Bytes is var now && now != last)
            {
                (last, since) = (now, Stopwatch.GetTimestamp());
            }

            Assert.True(Stopwatch.GetElapsedTime(began) < Deadline.Time, $"no standstill; {last} bytes");
        }

        return last;
    }
}
