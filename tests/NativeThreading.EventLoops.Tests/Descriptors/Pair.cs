using System.Net;
using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Two ends that are connected: the one that a loop watches, and the other one.</summary>
internal sealed class Pair(Descriptor here, Descriptor there) : IDisposable
{
    public Descriptor Here { get; } = here;

    public Descriptor There { get; } = there;

    /// <summary>Connected sockets of the Unix family.</summary>
    public static Pair OfSockets()
    {
        (int one, int other) = Libc.SocketPair();
        return new Pair(new Descriptor(one), new Descriptor(other));
    }

    /// <summary>A pipe whose reading end is watched.</summary>
    public static Pair OfPipeToRead()
    {
        (int read, int write) = Libc.Pipe();
        return new Pair(new Descriptor(read), new Descriptor(write));
    }

    /// <summary>A pipe whose writing end is watched.</summary>
    public static Pair OfPipeToWrite()
    {
        (int read, int write) = Libc.Pipe();
        return new Pair(new Descriptor(write), new Descriptor(read));
    }

    public static Pair[] OfSockets(int count) => [.. Enumerable.Range(0, count).Select(_ => OfSockets())];

    /// <summary>Both ends of a connection over the loopback interface.</summary>
    public static (Socket Here, Socket There) OfTcp()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var there = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        there.Connect(listener.LocalEndPoint!);
        Socket here = Deadline.Result(listener.AcceptAsync());
        here.Blocking = false;
        here.NoDelay = true;
        return (here, there);
    }

    public void Dispose()
    {
        Here.Dispose();
        There.Dispose();
    }
}
