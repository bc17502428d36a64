using System.Globalization;

namespace NativeThreading.Workloads.Quiet;

/// <summary>The kernel's account of one thread of this process: context switches so far, and nanoseconds on a CPU.</summary>
internal readonly record struct TaskThread(int Id, long Switches, long CpuNanoseconds)
{
    /// <summary>The threads whose name begins with one of these. The kernel keeps 15 characters of a name.</summary>
    public static IReadOnlyList<TaskThread> WithName(params string[] prefixes)
    {
        var threads = new List<TaskThread>();
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                string name = File.ReadAllText(task + "/comm");
                if (Array.Exists(prefixes, prefix => name.StartsWith(prefix, StringComparison.Ordinal)))
                {
                    threads.Add(Read(task));
                }
            }
            catch (IOException)
            {
                // The thread ended between the listing and the read.
            }
        }

        return threads;
    }

    private static TaskThread Read(string task)
    {
        // voluntary_ctxt_switches and nonvoluntary_ctxt_switches
        long switches = File.ReadLines(task + "/status")
            .Where(line => line.Contains("ctxt_switches:", StringComparison.Ordinal))
            .Sum(line => Parse(line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..]));
        string schedule = File.ReadAllText(task + "/schedstat");
        return new TaskThread(
            int.Parse(Path.GetFileName(task), CultureInfo.InvariantCulture), switches, Parse(schedule.Split(' ')[0]));
    }

    private static long Parse(string number) => long.Parse(number, CultureInfo.InvariantCulture);
}
