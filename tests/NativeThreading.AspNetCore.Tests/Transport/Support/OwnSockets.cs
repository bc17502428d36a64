using System.Globalization;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>The descriptors of this process that are sockets of one port, on either end: those of other tests come and go meanwhile.</summary>
internal static class OwnSockets
{
    private const int LocalAddress = 1, RemoteAddress = 2, INode = 9; // columns of /proc/net/tcp

    /// <summary>The listening one counts.</summary>
    public static int Count(int port)
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Proc);
        string suffix = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        HashSet<string> ofPort = [.. File.ReadLines("/proc/self/net/tcp").Skip(1)
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Where(columns => columns[LocalAddress].EndsWith(suffix, StringComparison.Ordinal) || columns[RemoteAddress].EndsWith(suffix, StringComparison.Ordinal))
            .Select(static columns => $"socket:[{columns[INode]}]")];
        return Directory.GetFiles("/proc/self/fd").Count(descriptor => ofPort.Contains(Target(descriptor)));
    }

    private static string Target(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget ?? "";
        }
        catch (IOException)
        {
            return ""; // closed meanwhile
        }
    }
}
