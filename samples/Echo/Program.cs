using NativeThreading.Samples.Echo;

if (EchoOptions.Parse(args) is not { } options)
{
    Console.Error.WriteLine(EchoOptions.Usage);
    return 2;
}

// The program that starts this reads the port from the first line, ends standard input or sends SIGTERM, and reads the counts.
await using IEchoServer server = options.Socket ? new SocketEchoServer() : new EchoServer(options.Loops);
Console.WriteLine(server.Port);
await StopRequest.Received();
Console.WriteLine(await server.StopAsync());
return 0;
