using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Transport;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport;

/// <summary>How the transport comes into an application, and where it cannot.</summary>
public sealed class FactoryTests
{
    [Fact]
    public async Task WhereLoopsWatchNoDescriptors_KestrelsOwnSocketsServe_AndOneWarningSaysSo()
    {
        await using var transport = new TransportUnderTest(isUsable: false);
        for (int i = 0; i < 2; i++)
        {
            await using IConnectionListener listener = await transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
            using RawClient client = await RawClient.ConnectAsync(listener.EndPoint);
            ConnectionContext connection = (await Deadline.For(listener.AcceptAsync().AsTask()))!;
            Assert.StartsWith("Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets", connection.GetType().FullName, StringComparison.Ordinal);
            await Deadline.For(connection.DisposeAsync().AsTask());
        }

        Assert.Equal(1, transport.Records.Count(TransportRecords.NotUsable));
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task UnknownPool_EndsTheStart()
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => NativeServer.ServeAsync(_ => { }, options => options.PoolName = "nobody's"));

        Assert.Contains("nobody's", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    [InlineData(NativeTransportRequests.Loops, "requests")]
    [InlineData(NativeTransportRequests.RuntimePool, "requests")]
    [InlineData(NativeTransportRequests.Pool, null)]
    public async Task PlaceOfRequests_ThatContradictsTheNameOfAPool_EndsTheStart(NativeTransportRequests requests, string? pool)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => NativeServer.ServeAsync(_ => { }, options => (options.PoolName, options.Requests) = (pool, requests)));

        Assert.Contains(nameof(NativeTransportOptions.Requests), exception.Message, StringComparison.Ordinal);
        Assert.Contains(requests.ToString(), exception.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(NativeTransportOptions.PoolName), exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    [NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
    public async Task AddressThatIsTaken_EndsTheStart_AsWithKestrelsSockets()
    {
        await using NativeServer first = await NativeServer.ServeAsync(_ => { });

        IOException exception = await Assert.ThrowsAsync<IOException>(
            () => NativeServer.ServeAsync(_ => { }, kestrel: kestrel => kestrel.Listen(first.EndPoint)));

        Assert.IsType<AddressInUseException>(exception.InnerException);
    }

    [Fact]
    public async Task T104_UsedTwice_ItIsThereOnce_AndTheLastOfAll()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseNativeTransport().UseNativeTransport(options => options.LoopCount = 3);
        await using WebApplication app = builder.Build();

        IConnectionListenerFactory[] factories = [.. app.Services.GetServices<IConnectionListenerFactory>()];
        Assert.IsType<NativeTransportFactory>(factories[^1]);
        Assert.Single(factories.OfType<NativeTransportFactory>());
    }

    [Fact]
    public void NullsAndOptionsOutOfRange_AreRefused()
    {
        IWebHostBuilder builder = WebApplication.CreateBuilder().WebHost;
        Assert.Throws<ArgumentNullException>(() => ((IWebHostBuilder)null!).UseNativeTransport());
        Assert.Throws<ArgumentNullException>(() => builder.UseNativeTransport(null!));
        var options = new NativeTransportOptions();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.LoopCount = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.LoopCount = EventLoopGroup.LoopLimit + 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Backlog = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxReadBufferSize = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxWriteBufferSize = -1);
        Assert.Throws<ArgumentException>(() => options.PoolName = " ");
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Requests = (NativeTransportRequests)4);
        Assert.Equal(NativeTransportRequests.Adaptive, options.Requests);
        Assert.InRange(options.LoopCount, 1, EventLoopGroup.LoopLimit);
        Assert.Equal((512, true, 1024 * 1024, 64 * 1024), (options.Backlog, options.NoDelay, options.MaxReadBufferSize, options.MaxWriteBufferSize));
    }
}
