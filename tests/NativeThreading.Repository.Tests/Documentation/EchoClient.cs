using System.Net;
using System.Net.Sockets;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>Sends far more than buffers hold, and compares the answer; the server has to hold back meanwhile.</summary>
internal static class EchoClient
{
    private const int Length = 4 * 1024 * 1024;

    public static void Run(IPEndPoint server, int seed)
    {
        byte[] sent = new byte[Length];
        new Random(seed).NextBytes(sent);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.ReceiveBufferSize = 16 * 1024;
        socket.Connect(server);
        socket.ReceiveTimeout = (int)Deadline.Time.TotalMilliseconds;
        Task sending = Task.Factory.StartNew(
            () =>
            {
                socket.Send(sent);
                socket.Shutdown(SocketShutdown.Send);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        byte[] received = new byte[Length + 1];
        int count = 0;
        for (int some = 1; some > 0; count += some)
        {
            some = socket.Receive(received, count, received.Length - count, SocketFlags.None);
        }

        Deadline.Wait(sending);
        Assert.Equal(Length, count);
        Assert.True(received.AsSpan(0, count).SequenceEqual(sent));
    }
}
