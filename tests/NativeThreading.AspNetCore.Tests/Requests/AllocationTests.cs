using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Requests;

/// <summary>What the way through a pool adds to a request (T112: the server's own objects are used again as before).</summary>
public sealed class AllocationTests
{
    private const int Requests = 2_000;
    private const long Bound = 1_000;

    [Fact]
    public async Task T112_RequestAllocatesLessThanAKilobyteMore()
    {
        await using var pool = new NativeThreadPool();
        var rejected = new RejectedRequests(new RejectionLog("reports", NullLogger.Instance, TimeProvider.System).RequestRejected, new NativeThreadPoolRequestOptions());
        var isolated = new PoolRequestDelegate(pool, rejected, static _ => Task.CompletedTask);
        using var aborted = new CancellationTokenSource();
        var context = new DefaultHttpContext { RequestAborted = aborted.Token };
        await Deadline.For(RunAsync());

        // The least of a few: allocations of other threads of the process are counted, too.
        long perRequest = long.MaxValue;
        for (int run = 0; run < 5; run++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await Deadline.For(RunAsync());
            perRequest = Math.Min(perRequest, (GC.GetTotalAllocatedBytes(precise: true) - before) / Requests);
        }

        Assert.InRange(perRequest, 1, Bound);

        async Task RunAsync()
        {
            for (int i = 0; i < Requests; i++)
            {
                await isolated.InvokeAsync(context);
            }
        }
    }
}
