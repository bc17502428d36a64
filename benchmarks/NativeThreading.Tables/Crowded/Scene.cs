using System.Diagnostics;
using System.Globalization;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Crowded;

/// <summary>What a measuring process shares its processors with: busy processes next to it, a single processor, or a quota. A scene lasts until it is
/// disposed, and then nothing of it is left: no process and no control group.</summary>
internal sealed class Scene : IDisposable
{
    /// <summary>The first argument of a process that computes until its standard input ends, as it does when its parent dies.</summary>
    public const string BusyCommand = "busy-loop";

    private readonly List<Process> _busy = [];
    private readonly ProcessorQuota? _quota;

    private Scene(SceneKind kind)
    {
        Under = kind.OneProcessor ? ["taskset", "-c", "0"] : [];
        try
        {
            if (kind.Quota is double processors)
            {
                _quota = ProcessorQuota.Create(processors);
                Under = _quota.Under;
            }

            for (int i = 0; i < kind.BusyProcesses; i++)
            {
                _busy.Add(Process.Start(new ProcessStartInfo(ThisProgram.Path, ThisProgram.With(BusyCommand)) { RedirectStandardInput = true })!);
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>All scenes, in the order of the table.</summary>
    public static IReadOnlyList<SceneKind> All { get; } =
    [
        new("alone"),
        new("loops-1") { BusyProcesses = 1 },
        new("loops-2") { BusyProcesses = 2 },
        new("loops-4") { BusyProcesses = 4 },
        new("one-processor") { OneProcessor = true },
        new("quota-1") { Quota = 1 },
        new("quota-0.5") { Quota = 0.5 },
    ];

    /// <summary>The beginning of a command line that starts a program in this scene; empty where none is needed.</summary>
    public IReadOnlyList<string> Under { get; }

    /// <exception cref="MeasurementException">This machine cannot make the scene; the message says why.</exception>
    public static Scene Begin(SceneKind kind) => new(kind);

    /// <summary>In a process of its own: computes until the parent ends or closes standard input.</summary>
    public static int Compute()
    {
        var busy = new Thread(static () =>
        {
            for (ulong x = 1; ; x = (x * 6364136223846793005) + 1442695040888963407)
            {
                if (x == 0)
                {
                    Console.Write(""); // the compiler must not find the loop to be empty
                }
            }
        })
        { IsBackground = true };
        busy.UnsafeStart();
        while (Console.Read() >= 0)
        {
        }

        return 0;
    }

    public void Dispose()
    {
        foreach (Process process in _busy)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }

        _quota?.Dispose();
    }
}

/// <summary>The description of a scene.</summary>
/// <param name="Name">Part of the rows' names, and therefore permanent.</param>
internal sealed record SceneKind(string Name)
{
    public int BusyProcesses { get; init; }

    public bool OneProcessor { get; init; }

    /// <summary>Processors that the control group allows in the mean; null: no group.</summary>
    public double? Quota { get; init; }
}

/// <summary>A control group with a quota of processor time, of version 1 or 2, whichever this system has.</summary>
internal sealed class ProcessorQuota : IDisposable
{
    private const int Period = 100_000; // microseconds; the kernel's default, which Kubernetes keeps

    private static readonly string[] s_version1 = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"];
    private static readonly string s_version2 = "/sys/fs/cgroup";

    private readonly string _group;

    private ProcessorQuota(string group) => _group = group;

    /// <summary>A shell moves itself into the group and becomes the program, so that no thread of it was ever outside.</summary>
    public IReadOnlyList<string> Under => ["sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", _group];

    /// <exception cref="MeasurementException">No group can be made here.</exception>
    public static ProcessorQuota Create(double processors)
    {
        string quota = ((int)(processors * Period)).ToString(CultureInfo.InvariantCulture);
        string name = $"nativethreading-{Environment.ProcessId}";
        try
        {
            if (s_version1.FirstOrDefault(static root => File.Exists(Path.Combine(root, "cpu.cfs_quota_us"))) is string version1)
            {
                string group = Directory.CreateDirectory(Path.Combine(version1, name)).FullName;
                File.WriteAllText(Path.Combine(group, "cpu.cfs_period_us"), Period.ToString(CultureInfo.InvariantCulture));
                File.WriteAllText(Path.Combine(group, "cpu.cfs_quota_us"), quota);
                return new ProcessorQuota(group);
            }

            if (File.Exists(Path.Combine(s_version2, "cgroup.subtree_control")))
            {
                File.WriteAllText(Path.Combine(s_version2, "cgroup.subtree_control"), "+cpu");
                string group = Directory.CreateDirectory(Path.Combine(s_version2, name)).FullName;
                File.WriteAllText(Path.Combine(group, "cpu.max"), $"{quota} {Period}");
                return new ProcessorQuota(group);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new MeasurementException($"no control group can be made: {e.Message}");
        }

        throw new MeasurementException("this system has no control groups for processor time.");
    }

    /// <summary>The kernel removes a group only when all its processes have gone, which may be a moment after the last has been waited for.</summary>
    public void Dispose()
    {
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                Directory.Delete(_group);
                return;
            }
            catch (IOException) when (Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(5))
            {
                Thread.Sleep(10);
            }
            catch (DirectoryNotFoundException)
            {
                return;
            }
        }
    }
}
