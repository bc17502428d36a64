using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using NativeThreading.Kestrel;
using NativeThreading.Kestrel.Adaptive;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.NativeTransport.Adaptive;

/// <summary>What a request costs whose code is proven.</summary>
[NeedsNativeCore(NeedsNativeCoreAttribute.Descriptors)]
public sealed class ProvenCallTests
{
    private const int Calls = 500;

    [Fact]
    public async Task CallThatCompletesAtOnce_AllocatesNothing()
    {
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        await using var loop = new EventLoop(new EventLoopOptions { HandsOverWhenBlocked = true });
        var requests = new AdaptiveRequests(services, Options.Create(new NativeTransportOptions()), NullLoggerFactory.Instance);
        requests.Begin(loop, named: null);
        int onLoop = 0;
        RequestDelegate endpoint = new MeasuredDelegate(requests, Proven(), _ =>
        {
            onLoop += EventLoop.Current == loop ? 1 : 0;
            return Task.CompletedTask;
        }).InvokeAsync;
        RequestDelegate all = new MeasuredDelegate(requests, Proven(), endpoint).InvokeAsync;
        var context = new DefaultHttpContext();

        // The least of a few: a call that the machine holds up has the next ones watched, which allocates.
        long least = long.MaxValue;
        for (int round = 0; round < 20; round++)
        {
            least = Math.Min(least, await Deadline.For(loop.InvokeAsync(() =>
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < Calls; i++)
                {
                    Assert.True(all(context).IsCompletedSuccessfully);
                }

                return GC.GetAllocatedBytesForCurrentThread() - before;
            })));
        }

        Assert.Equal(0, least);
        Assert.Equal(20 * Calls, onLoop);
    }

    private static EndpointProfile Proven()
    {
        var unit = new EndpointProfile("unit", null);
        for (int i = 0; i < Learning.ProofOfShort; i++)
        {
            unit.Judge(Verdict.Short);
        }

        return unit;
    }
}
