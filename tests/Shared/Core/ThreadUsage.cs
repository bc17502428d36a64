using System.Globalization;

namespace NativeThreading.Tests.Support;

/// <summary>The kernel's account of a pool's threads, which it finds by their names.</summary>
internal static class ThreadUsage
{
    /// <summary>Voluntary context switches so far: a thread makes one whenever it parks.</summary>
    public static long VoluntarySwitches(NativeThreadPool pool) => Sum(pool, "voluntary_ctxt_switches:");

    /// <summary>All context switches so far.</summary>
    public static long Switches(NativeThreadPool pool) =>
        VoluntarySwitches(pool) + Sum(pool, "nonvoluntary_ctxt_switches:");

    private static long Sum(NativeThreadPool pool, string key)
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Proc);
        // The kernel keeps 15 characters of a name; the pools of soak tests have short ones.
        string prefix = $"{pool.Name}-worker-";
        Assert.InRange(prefix.Length, 1, 15);

        // A thread of an earlier pool of that name has left its pool, and may need a processor to end.
        long sum = 0;
        Deadline.Until(() => TrySum(prefix, key, pool.ThreadCount, out sum), $"{pool.ThreadCount} threads begin with {prefix}");
        return sum;
    }

    private static bool TrySum(string prefix, string key, int expected, out long sum)
    {
        sum = 0;
        int threads = 0;
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                if (File.ReadAllText(task + "/comm").StartsWith(prefix, StringComparison.Ordinal))
                {
                    string line = File.ReadLines(task + "/status").Single(line => line.StartsWith(key, StringComparison.Ordinal));
                    sum += long.Parse(line[key.Length..], CultureInfo.InvariantCulture);
                    threads++;
                }
            }
            catch (IOException)
            {
                // The thread ended between the listing and the read.
            }
        }

        return threads == expected;
    }
}
