using System.Diagnostics;

namespace NativeThreading.Samples.Cluster;

/// <summary>A worker process, as the coordinator sees it.</summary>
internal sealed class NodeProcess : IDisposable
{
    private readonly Process _process;

    public NodeProcess(string name, string[] arguments, string database)
    {
        Name = name;
        string program = Environment.ProcessPath!;
        string[] host = Path.GetFileNameWithoutExtension(program) == "dotnet" ? [typeof(NodeProcess).Assembly.Location] : [];
        var start = new ProcessStartInfo(program, [.. host, .. arguments, "--node", name]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment[Databases.Variable] = database; // not on the command line, which every user may read
        _process = Process.Start(start)!;
        _process.OutputDataReceived += (_, _) => { };
        _process.BeginOutputReadLine();
    }

    public string Name { get; }

    /// <summary>What was done to it.</summary>
    public string State { get; private set; } = "";

    public bool HasEnded => _process.HasExited;

    public void Kill()
    {
        State = " (killed)";
        _process.Kill();
    }

    public async Task StopForAsync(TimeSpan time, CancellationToken cancellationToken)
    {
        Signal("STOP");
        State = " (stopped)";
        try
        {
            await Task.Delay(time, cancellationToken);
        }
        finally
        {
            Signal("CONT");
            State = " (continued)";
        }
    }

    /// <summary>Lets it end what it runs.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync(cancellationToken);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private void Signal(string signal)
    {
        using Process kill = Process.Start("kill", [$"-{signal}", $"{_process.Id}"]);
        kill.WaitForExit();
    }
}
