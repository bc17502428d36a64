using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using NativeThreading.Kestrel;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>The native core is there, and the system allows no event loop: in a process of its own.</summary>
[BesideOthers]
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class WithoutLoopsTests
{
    private const string Errno = nameof(Errno), Requests = nameof(Requests);

    [Theory]
    [InlineData(SystemCallFilter.NotPermitted, NativeTransportRequests.Adaptive)]
    [InlineData(SystemCallFilter.NotImplemented, NativeTransportRequests.Adaptive)]
    [InlineData(SystemCallFilter.NotPermitted, NativeTransportRequests.Loops)]
    [InlineData(SystemCallFilter.NotPermitted, NativeTransportRequests.Pool)]
    public async Task KestrelsOwnSocketsServe_AndOneWarningNamesTheSystemCallAndErrno(int errno, NativeTransportRequests requests)
    {
        ChildProcess.Result child = await ChildProcess.RunAsync(Serve, (Errno, $"{errno}"), (Requests, $"{requests}"));
        Assert.True(child.ExitCode == 0, child.ToString());
    }

    private static int Serve()
    {
        Deadline.Wait(ServeAsync());
        return 0;
    }

    private static async Task ServeAsync()
    {
        int errno = int.Parse(Environment.GetEnvironmentVariable(Errno)!, CultureInfo.InvariantCulture);
        SystemCallFilter.ForbidEventDescriptors(errno);
        NativeTransportRequests requests = Enum.Parse<NativeTransportRequests>(Environment.GetEnvironmentVariable(Requests)!);

        await using NativeServer server = await NativeServer.ServeAsync(
            static app => app.MapGet("/", static () => "<here>"),
            options =>
            {
                options.Requests = requests;
                options.PoolName = requests == NativeTransportRequests.Pool ? "requests" : null;
            },
            kestrel: static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        using RawClient client = await server.ConnectAsync();
        for (int i = 0; i < 50; i++)
        {
            Assert.Contains("<here>", await client.GetAsync("/", ">"), StringComparison.Ordinal);
        }

        string warning = Assert.Single(server.Records.Texts(TransportRecords.NoLoop));
        Assert.Contains("eventfd2 failed", warning, StringComparison.Ordinal);
        Assert.Contains($"errno {errno}", warning, StringComparison.Ordinal);
        Assert.Equal(0, server.Records.Count(TransportRecords.NotUsable));
    }
}
