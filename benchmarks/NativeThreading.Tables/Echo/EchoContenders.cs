using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using NativeThreading.Tables.Harness;

namespace NativeThreading.Tables.Echo;

/// <summary>The servers of the table, each started once.</summary>
internal sealed class EchoContenders : IDisposable
{
    /// <summary>The runtime's sockets with completions on the thread that waits for them, as on an event loop. Off unless
    /// asked for, because one handler that blocks then holds up all sockets.</summary>
    private const string Inline = "inline";

    private readonly List<EchoServerProcess> _servers = [];
    private readonly int? _cpu;

    /// <summary>The first is ours.</summary>
    public EchoContenders(PeerPrograms peers, int? cpu, bool inlineSockets)
    {
        _cpu = cpu;
        StartSample(Contender.Native);
        Start("epoll", peers.Find("echo_epoll"));
        Start("libuv", peers.Find("echo_libuv"));
        StartSample("socket", "--socket");
        if (inlineSockets)
        {
            StartSample(Inline, "--socket");
        }
    }

    public IReadOnlyList<EchoServerProcess> Servers => _servers;

    public void Dispose() => _servers.ForEach(static s => s.Dispose());

    private void Start(string name, string? program)
    {
        if (program is not null)
        {
            _servers.Add(new EchoServerProcess(name, PinnedProgram.On(_cpu, program)));
        }
    }

    private void StartSample(string name, params string[] arguments)
    {
        string program = typeof(EchoContenders).Assembly
            .GetCustomAttributes<AssemblyMetadataAttribute>().Single(a => a.Key == "EchoSample").Value!;
        ProcessStartInfo start = PinnedProgram.On(_cpu, program, arguments);
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        if (name == Inline)
        {
            start.Environment["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1";
        }

        _servers.Add(new EchoServerProcess(name, start));
    }
}
