using NativeThreading.Tables.Harness;
using NativeThreading.Tables.Processes;

namespace NativeThreading.Tables.Kestrel;

/// <summary>A server, and what carries its connections.</summary>
internal sealed record Side(string Name, ServerProcess Server)
{
    /// <summary>Kestrel's sockets.</summary>
    public const string Default = Contender.ThreadPool;

    /// <summary>The same, with <c>UnsafePreferInlineScheduling</c>: a handler that blocks there blocks all connections of its thread.</summary>
    public const string Inline = "inline";

    /// <summary>Event loops, with requests where it is learned that they may run: by default.</summary>
    public const string Loops = Contender.Native;

    /// <summary>Event loops, with requests on a NativeThreadPool.</summary>
    public const string Pool = "pool";

    /// <summary>Event loops, with requests on them.</summary>
    public const string Alone = "loops";
}

/// <summary>One server for each side.</summary>
internal sealed class Sides : IDisposable
{
    public Sides()
    {
        var started = new List<Side>();
        All = started;
        try
        {
            foreach ((string name, string argument) in ((string, string)[])
                [(Side.Loops, "native"), (Side.Default, "default"), (Side.Inline, "inline"), (Side.Pool, "pool"), (Side.Alone, "loops")])
            {
                started.Add(new Side(name, new ServerProcess("KestrelServer", argument)));
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public IReadOnlyList<Side> All { get; }

    public void Dispose()
    {
        foreach (Side side in All)
        {
            side.Server.Dispose();
        }
    }
}
