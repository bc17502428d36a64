using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NativeThreading.Hosting.Tests.Support;

namespace NativeThreading.Hosting.Tests.Lifetime;

/// <summary>The host lets its pools finish, last of all and no longer than it has time.</summary>
public sealed class HostStopTests
{
    /// <summary>Whether services stop at once; whether the server is added before the pool, and so stops after it.</summary>
    public static TheoryData<bool, bool> Orders() => new() { { false, false }, { false, true }, { true, false }, { true, true } };

    [Theory]
    [MemberData(nameof(Orders))]
    public async Task T113_RequestsInFlight_FinishOnThePool_WhileTheServerStops(bool concurrently, bool serverFirst)
    {
        int answered = 0;
        await using var host = new TestHost();
        host.Configure(options => options.ServicesStopConcurrently = concurrently);
        if (!serverFirst)
        {
            host.Services.AddNativeThreadPool("reports");
        }

        // A server that stops by finishing its requests, each of which needs the pool again and again.
        host.Services.AddHostedService(services => new TestService(stop: async cancellationToken =>
        {
            var pool = services.GetRequiredKeyedService<NativeThreadPool>("reports");
            for (int i = 0; i < 50; i++)
            {
                await Task.Yield();
                await pool.Run(() => answered++, cancellationToken);
            }
        }));
        if (serverFirst)
        {
            host.Services.AddNativeThreadPool("reports");
        }

        await host.StartAsync();
        await host.StopAsync();
        Assert.Equal(50, answered);
        Assert.Empty(host.Log.Warnings);
        Assert.Contains((LogLevel.Debug, 2, "Pool 'reports' completed its work and stopped."), host.Log.All);
        Assert.Throws<ObjectDisposedException>(() => host.Pool("reports").QueueUserWorkItem(_ => { }));
    }

    [Fact]
    public async Task ItemsThatWaitWhenTheHostStops_AreRun()
    {
        int ran = 0;
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports", options => options.MaxThreads = 1)).StartAsync();
        for (int i = 0; i < 10_000; i++)
        {
            host.Pool("reports").QueueUserWorkItem(_ => ran++);
        }

        await host.StopAsync();
        Assert.Equal(10_000, ran);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task T114_StuckItem_IsAbandoned_WhenTheHostsTimeIsOver(bool concurrently)
    {
        await using var host = new TestHost(services => services.AddNativeThreadPool("reports", OneThread));
        host.Configure(options =>
        {
            options.ServicesStopConcurrently = concurrently;
            options.ShutdownTimeout = TimeSpan.FromMilliseconds(200);
        });
        await host.StartAsync();
        NativeThreadPool pool = host.Pool("reports");
        int ran = 0;
        using (new StuckItem(pool))
        {
            for (int i = 0; i < 3; i++)
            {
                pool.UnsafeQueueUserWorkItem(_ => ran++, null);
            }

            await host.StopAsync();
            Assert.Equal(
                ["Pool 'reports' was stopped by the host's shutdown timeout: 3 items that had not started were dropped, and 1 running items were abandoned. To give them more time, raise HostOptions.ShutdownTimeout."],
                host.Log.Warnings);
            Assert.Contains(host.Log.All, record => record.Id == 3);
            await host.DisposeAsync(); // which does not wait for it either
        }

        Deadline.Until(() => pool.ThreadCount == 0);
        Assert.Equal(0, ran);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task T114_ServerThatUsesUpTheTime_LeavesThePoolNone(bool concurrently)
    {
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool("reports", OneThread);
            services.AddHostedService(_ => new TestService(stop: cancellationToken =>
            {
                var over = new TaskCompletionSource();
                cancellationToken.Register(over.SetResult);
                return over.Task;
            }));
        });
        host.Configure(options =>
        {
            options.ServicesStopConcurrently = concurrently;
            options.ShutdownTimeout = TimeSpan.FromMilliseconds(100);
        });
        await host.StartAsync();
        using (new StuckItem(host.Pool("reports")))
        {
            await host.StopAsync();
            await host.DisposeAsync();
            Assert.Equal([3], host.Log.All.Where(record => record is { Level: LogLevel.Warning, Id: < 100 }).Select(record => record.Id)); // not what the pool says of its stuck item
        }
    }

    [Fact]
    public async Task HostThatHasNoTimeAtAll_DropsWhatWaits()
    {
        await using TestHost host = await new TestHost(services => services.AddNativeThreadPool("reports", OneThread)).StartAsync();
        NativeThreadPool pool = host.Pool("reports");
        using (new StuckItem(pool))
        {
            pool.UnsafeQueueUserWorkItem(_ => { }, null);
            await Record.ExceptionAsync(() => host.StopWithinAsync(new CancellationToken(canceled: true))); // whatever the host itself says to that
            await host.DisposeAsync();
            Assert.Contains("1 items that had not started were dropped, and 1 running items", Assert.Single(host.Log.Warnings), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task SeveralPools_FinishAtTheSameTime()
    {
        await using var host = new TestHost(services =>
        {
            services.AddNativeThreadPool("a");
            services.AddNativeThreadPool("b");
        });
        await host.StartAsync();
        using var both = new Barrier(2);
        bool met = true;
        foreach (string name in (string[])["a", "b"])
        {
            host.Pool(name).QueueUserWorkItem(_ => met &= both.SignalAndWait(Deadline.Time));
        }

        await host.StopAsync();
        Assert.True(met);
    }

    [Fact]
    public async Task WorkOfAPool_MayWaitForALoopToTheEnd()
    {
        await using TestHost host = await new TestHost(services =>
        {
            services.AddEventLoopGroup("io", options => options.LoopCount = 1);
            services.AddNativeThreadPool("reports");
        }).StartAsync();
        EventLoop loop = host.Provider.GetRequiredKeyedService<EventLoopGroup>("io").Next();
        NativeThreadPool pool = host.Pool("reports");
        var going = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> work = pool.Run(Work, CancellationToken.None);
        async Task<int> Work()
        {
            going.SetResult();
            await Task.Run(() => Deadline.Until(() => Record.Exception(() => pool.UnsafeQueueUserWorkItem(_ => { }, null)) is ObjectDisposedException, "the pool drains"));
            var answer = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            loop.Post(_ => answer.SetResult(42), null);
            return await answer.Task;
        }

        await Deadline.For(going.Task);
        await host.StopAsync();
        Assert.True(work.IsCompletedSuccessfully);
        Assert.Equal([2, 5], host.Log.All.Where(record => record.Id is 2 or 5).Select(record => record.Id));
        Assert.Throws<ObjectDisposedException>(() => loop.Post(_ => { }, null));
    }

    private static void OneThread(NativeThreadPoolOptions options) => (options.MaxThreads, options.MaxBlockedThreads) = (1, 0);
}
