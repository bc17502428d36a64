using System.Runtime.InteropServices;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Ablation;

/// <summary>The two pipes by which a pair of processes takes turns (<see cref="Turns"/>), as benchmarks/compare makes them.</summary>
internal sealed partial class TurnPipes : IDisposable
{
    private const byte Turn = (byte)'T';
    private const byte End = (byte)'E';
    private const uint OwnersOnly = 0x180; // rw-------

    private readonly string _directory = Directory.CreateTempSubdirectory("ablation-").FullName;
    private readonly FileStream _first;
    private readonly FileStream _second;

    public TurnPipes(bool firstBegins)
    {
        string first = Path.Combine(_directory, "first"), second = Path.Combine(_directory, "second");
        (First, Second) = ($"{first}:{second}", $"{second}:{first}");
        (_first, _second) = (Make(first), Make(second));
        (firstBegins ? _first : _second).WriteByte(Turn);
    }

    /// <summary>What <see cref="Turns.Variable"/> says to the one process.</summary>
    public string First { get; }

    /// <summary>And to the other.</summary>
    public string Second { get; }

    /// <summary>The first process has ended: the second needs no turn any more.</summary>
    public void EndFirst() => _second.WriteByte(End);

    /// <summary>The second has ended.</summary>
    public void EndSecond() => _first.WriteByte(End);

    public void Dispose()
    {
        _first.Dispose();
        _second.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    /// <summary>Open at both ends, so that nobody waits for another one to open it.</summary>
    private static FileStream Make(string path) => mkfifo(path, OwnersOnly) == 0
        ? new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0)
        : throw new IOException($"{path} cannot be made: error {Marshal.GetLastPInvokeError()}.");

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int mkfifo(string path, uint mode);
}
