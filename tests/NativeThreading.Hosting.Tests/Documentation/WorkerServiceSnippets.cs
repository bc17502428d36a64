using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading;

namespace NativeThreading.Hosting.Tests.Documentation;

/// <summary>The code of docs/start/tutorial-worker.md, run from the start to a stop with work in the queue.</summary>
public sealed class WorkerServiceSnippets
{
    [Fact]
    public async Task WhatWasAccepted_IsDone_ThoughTheReaderHasStopped()
    {
        Task program = RunAsync([]);
        IServiceProvider services = await Deadline.For(Inbox.Made.Task);
        var inbox = (Inbox)services.GetRequiredService<IInbox>();
        inbox.Send(50);
        var pool = services.GetRequiredKeyedService<NativeThreadPool>("import");
        Deadline.Until(() => inbox.Read == 50 && inbox.Started != 0);
        Assert.Equal(0, inbox.Imported);

        // The reader ends at once, the accepted orders when the door is opened.
        services.GetRequiredService<IHostApplicationLifetime>().StopApplication();
        Deadline.Until(() => inbox.ReaderHasEnded);
        Assert.False(program.IsCompleted);
        inbox.OpenTheDoor();
        await Deadline.For(program);
        Assert.Equal((50, 0), (inbox.Imported, inbox.Elsewhere));
        Assert.Equal(0, pool.AbandonedWorkItemCount);

        static async Task RunAsync(string[] args)
        {
            HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
            builder.Services.AddNativeThreadPool("import", options =>
            {
                options.MaxThreads = 4;
                options.QueueLimit = 100;
                options.QueueFullMode = QueueFullMode.Wait;
            }).AddHealthCheck();
            builder.Services.AddSingleton<IInbox, Inbox>();
            builder.Services.AddHostedService<Importer>();
            using IHost host = builder.Build();
            await host.RunAsync();                          // until SIGTERM or Ctrl+C
        }
    }

    [Fact]
    public async Task AsyncOrders_AreConfirmed()
    {
        using var inbox = new Inbox();
        inbox.OpenTheDoor();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddNativeThreadPool("import");
        builder.Services.AddSingleton<IInbox>(inbox);
        builder.Services.AddHostedService<AsyncImporter>();
        using IHost host = builder.Build();
        await Deadline.For(host.StartAsync(TestContext.Current.CancellationToken));
        inbox.Send(200);
        Deadline.Until(() => inbox.Confirmed == 200);
        await Deadline.For(host.StopAsync(TestContext.Current.CancellationToken));
        Assert.Equal((200, 0), (inbox.Imported, inbox.Elsewhere));
        Assert.InRange(inbox.MostUnderWay, 1, 20);
    }

    public interface IInbox
    {
        IAsyncEnumerable<Order> ReadAsync(CancellationToken cancellationToken);
    }

    public sealed class Importer([FromKeyedServices("import")] NativeThreadPool pool, IInbox inbox) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            await foreach (Order order in inbox.ReadAsync(stoppingToken))
            {
                await pool.QueueAsync(static order => order.Import(), order, stoppingToken);    // waits while 100 orders are waiting
            }
        }
    }

    public sealed class AsyncImporter([FromKeyedServices("import")] NativeThreadPool pool, IInbox inbox) : BackgroundService
    {
        protected override Task ExecuteAsync(CancellationToken stoppingToken)
        {
            var twentyAtOnce = new ParallelOptions { MaxDegreeOfParallelism = 20, TaskScheduler = pool.Scheduler, CancellationToken = stoppingToken };
            return Parallel.ForEachAsync(inbox.ReadAsync(stoppingToken), twentyAtOnce, static async (order, cancellation) =>
            {
                await order.ImportAsync(cancellation);      // on the pool, also after the await
                await order.ConfirmAsync();                 // now the inbox may forget the order
            });
        }
    }

    /// <summary>Orders that come from a test, and a door behind which all of them wait.</summary>
    public sealed class Inbox : IInbox, IDisposable
    {
        private readonly Channel<Order> _orders = Channel.CreateUnbounded<Order>();
        private readonly ManualResetEventSlim _door = new();
        private int _read, _started, _imported, _confirmed, _elsewhere, _underWay, _mostUnderWay;
        private volatile bool _readerHasEnded;

        public Inbox()
        {
        }

        /// <summary>Called by the container of a program that only waits for its end: so a test reaches into it.</summary>
        public Inbox(IServiceProvider services) => Made.SetResult(services);

        public static TaskCompletionSource<IServiceProvider> Made { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Read => Volatile.Read(ref _read);

        public int Started => Volatile.Read(ref _started);

        public int Imported => Volatile.Read(ref _imported);

        public int Confirmed => Volatile.Read(ref _confirmed);

        public int Elsewhere => Volatile.Read(ref _elsewhere);

        public int MostUnderWay => Volatile.Read(ref _mostUnderWay);

        public bool ReaderHasEnded => _readerHasEnded;

        public void Send(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Assert.True(_orders.Writer.TryWrite(new Order(this)));
            }
        }

        public void OpenTheDoor() => _door.Set();

        public async IAsyncEnumerable<Order> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
        {
            try
            {
                await foreach (Order order in _orders.Reader.ReadAllAsync(cancellationToken))
                {
                    Interlocked.Increment(ref _read);
                    yield return order;
                }
            }
            finally
            {
                _readerHasEnded = true;
            }
        }

        public void Import()
        {
            Interlocked.Increment(ref _started);
            _door.Wait(Deadline.Time);
            NoteWhere();
            Interlocked.Increment(ref _imported);
        }

        public async Task ImportAsync(CancellationToken cancellationToken)
        {
            int underWay = Interlocked.Increment(ref _underWay);
            for (int most = _mostUnderWay; underWay > most; most = _mostUnderWay)
            {
                Interlocked.CompareExchange(ref _mostUnderWay, underWay, most);
            }

            await Task.Delay(1, cancellationToken);
            NoteWhere();
            Interlocked.Increment(ref _imported);
            Interlocked.Decrement(ref _underWay);
        }

        public Task ConfirmAsync()
        {
            Interlocked.Increment(ref _confirmed);
            return Task.CompletedTask;
        }

        public void Dispose()
        {
            _door.Set();
            _door.Dispose();
        }

        private void NoteWhere() => Interlocked.Add(ref _elsewhere, NativeThreadPool.Current?.Name == "import" ? 0 : 1);
    }

    public sealed class Order(Inbox inbox)
    {
        public void Import() => inbox.Import();

        public Task ImportAsync(CancellationToken cancellationToken) => inbox.ImportAsync(cancellationToken);

        public Task ConfirmAsync() => inbox.ConfirmAsync();
    }
}
