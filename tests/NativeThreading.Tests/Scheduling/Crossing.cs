using System.Runtime.CompilerServices;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Scheduling;

/// <summary>
/// Two threads that each write and then look for what the other has written, again and again at the same moment. With a full
/// fence between the two steps on both sides at least one sees the other; without it both may look before either write shows.
/// </summary>
internal static class Crossing
{
    /// <summary>In how many rounds neither saw the other.</summary>
    /// <param name="reset">Before each round, by the first thread.</param>
    /// <param name="first">Writes, and returns whether it saw what the second one has written.</param>
    /// <param name="second">Likewise.</param>
    public static long Missed(Action reset, Func<bool> first, Func<bool> second)
    {
        long started = 0, ended = 0, missed = 0;
        bool secondSaw = false;

        void First()
        {
            var random = new Random(1);
            long round = 0;
            for (Budget budget = Budget.Of(1_000); round % 64 != 0 || budget.HasTime;)
            {
                reset();
                Volatile.Write(ref started, ++round);
                Spin(random.Next(300));
                bool firstSaw = first();
                Await(ref ended, round);
                missed += firstSaw || secondSaw ? 0 : 1;
            }

            Volatile.Write(ref started, -1);
        }

        void Second()
        {
            var random = new Random(2);
            for (long round = 1; Await(ref started, round); round++)
            {
                Spin(random.Next(100));
                secondSaw = second();
                Volatile.Write(ref ended, round);
            }
        }

        Race.Run(First, Second);
        return missed;
    }

    /// <summary>About so many nanoseconds; <see cref="Thread.SpinWait"/> comes in steps that are too long for this.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static void Spin(int turns)
    {
        for (int i = 0; i < turns; i++)
        {
        }
    }

    /// <summary><see langword="false"/>: it is over.</summary>
    private static bool Await(ref long counter, long value)
    {
        for (var spin = default(SpinWait); Volatile.Read(ref counter) is var now && now != value; spin.SpinOnce(sleep1Threshold: -1))
        {
            if (now < 0)
            {
                return false;
            }
        }

        return true;
    }
}
