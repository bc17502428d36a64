namespace NativeThreading.SoakProgram.Watch;

/// <summary>The threads of this process, as the system sees them.</summary>
internal static class ThreadList
{
    private static readonly string[] s_shown = ["State", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"];

    public static int Count => Directory.GetDirectories("/proc/self/task").Length;

    /// <summary>Without those of the runtime, whose own pool keeps for a while what it has.</summary>
    public static int OwnCount => Directory.GetDirectories("/proc/self/task")
        .Count(static task => !Read(task, "comm").StartsWith(".NET ", StringComparison.Ordinal));

    /// <summary>Their names, each with how many bear it.</summary>
    public static string Names() => string.Join(", ", Directory.GetDirectories("/proc/self/task")
        .Select(static task => Read(task, "comm"))
        .CountBy(static name => name)
        .OrderBy(static n => n.Key, StringComparer.Ordinal)
        .Select(static n => $"{n.Value} x {n.Key}"));

    /// <summary>Each with its state, the system call it is in, and what the kernel says of its stack where it does.</summary>
    /// <param name="process">Of another process, or of this one.</param>
    public static IEnumerable<string> Describe(int? process = null)
    {
        foreach (string task in Directory.GetDirectories($"/proc/{process ?? Environment.ProcessId}/task"))
        {
            int id = int.Parse(Path.GetFileName(task), System.Globalization.CultureInfo.InvariantCulture);
            string status = string.Join(", ", Read(task, "status").Split('\n')
                .Where(static line => s_shown.Contains(line.Split(':')[0]))
                .Select(static line => line.Replace(":\t", " ", StringComparison.Ordinal)));
            yield return $"{id} {Read(task, "comm")}: {status}; call {Read(task, "syscall")}; in {Read(task, "wchan")}"
                + (Whereabouts.Of(id) is { } item ? $"; item: {item}" : "");
            foreach (string line in Read(task, "stack").Split('\n', StringSplitOptions.RemoveEmptyEntries))
            {
                yield return $"    {line}";
            }
        }
    }

    private static string Read(string task, string file)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, file)).Trim();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return ""; // it has ended, or the system keeps it to itself
        }
    }
}
