using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using NativeThreading;
using NativeThreading.EventLoops;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Documentation;

/// <summary>The code of docs/guides/event-loops.md, run. DocumentationTests compares the two.</summary>
public sealed class EventLoopSnippets
{
    [Fact]
    public async Task Readme()
    {
        using var reports = new NativeThreadPool();
        NativeThreadPool? computedBy = null;
        int Compute()
        {
            computedBy = NativeThreadPool.Current;
            return 42;
        }

        await using var loop = new EventLoop(new EventLoopOptions { Name = "io" });

        int answer = await loop.InvokeAsync(async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), loop.TimeProvider);     // fires on the loop
            return await loop.OffloadAsync(reports, () => Compute());               // off the loop, and back
        });

        Assert.Equal((42, reports), (answer, computedBy));
    }

    [Fact]
    public async Task GettingStarted()
    {
        await using var loop = new EventLoop(new EventLoopOptions { Name = "sessions" });

        loop.Post(static state => Console.WriteLine($"{state} on {EventLoop.Current}"), "a callback");  // fire and forget
        int answer = await loop.InvokeAsync(() => 6 * 7);                                               // a result, or its exception

        Assert.Equal(42, answer);
    }

    [Fact]
    public async Task CallbacksThatBlock()
    {
        await using var loop = new EventLoop(new EventLoopOptions { Name = "requests", HandsOverWhenBlocked = true });
        int answer = await loop.InvokeAsync(() => Task.Run(async () => await loop.InvokeAsync(() => 42)).Result); // waits for its own loop

        Assert.Equal(42, answer);
    }

    [Fact]
    public async Task AsyncOnALoop()
    {
        await using var loop = new EventLoop();
        var seen = new Dictionary<string, int>();

        async Task CountAsync(string word)
        {
            int before = seen.GetValueOrDefault(word);
            seen[word] = before + 1;
            await Task.Yield();                             // other callbacks run here, on the same thread
            Debug.Assert(loop.IsInLoop && seen[word] > before);
        }

        await Task.WhenAll(
            loop.InvokeAsync(() => CountAsync("one")),
            loop.InvokeAsync(() => CountAsync("one")));

        Assert.Equal(2, seen["one"]);
    }

    [Fact]
    public async Task TimersOfTheProvider()
    {
        await using var loop = new EventLoop();
        bool wasRead = false;
        async Task ReadRequestAsync(CancellationToken token)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(1), loop.TimeProvider, token);
            wasRead = loop.IsInLoop;
        }

        await loop.InvokeAsync(async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), loop.TimeProvider);

            using var ticks = new PeriodicTimer(TimeSpan.FromMilliseconds(1), loop.TimeProvider);
            for (int i = 0; i < 3 && await ticks.WaitForNextTickAsync(); i++)
            {
                Debug.Assert(loop.IsInLoop);
            }

            using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(10), loop.TimeProvider);
            await ReadRequestAsync(timeout.Token);
        });

        Assert.True(wasRead);
    }

    [Fact]
    public async Task OneTimer()
    {
        await using var loop = new EventLoop();
        var session = new Session();

        using var limit = new EventLoopTimer(loop, static session => ((Session)session!).Expire(), session);
        limit.Arm(TimeSpan.FromSeconds(30));                                     // once
        limit.Arm(TimeSpan.FromSeconds(60));                                     // instead: a timer has one deadline
        limit.Arm(TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(10));  // then every 10 ms, without drift

        await Deadline.For(session.ExpiredOften.Task);
        limit.Cancel();

        Assert.False(limit.IsArmed);
    }

    [Fact]
    public async Task Descriptors()
    {
        await using var loop = new EventLoop();
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        EventLoopRegistration accepting = await loop.InvokeAsync(() =>
        {
            EventLoopRegistration? registration = null;
            registration = loop.Register(listener.SafeHandle, EventLoopInterest.Read, (_, _) =>
            {
                while (registration!.TryAccept(out SafeSocketHandle? connection))
                {
                    _ = new Echo(loop, new Socket(connection!));
                }
            }, null);
            return registration;
        });

        try
        {
            await Deadline.For(Task.Run(() => StartGate.Run(4, seed => EchoClient.Run((IPEndPoint)listener.LocalEndPoint!, seed))));
        }
        finally
        {
            await accepting.DisposeAsync();
        }
    }

    [Fact]
    public async Task WritingFromAnotherThread()
    {
        await using var loop = new EventLoop();
        await using var workers = new NativeThreadPool();
        (Socket connection, Socket client) = await ConnectedAsync();
        byte[] document = new byte[1_000_000];
        ReadOnlyMemory<byte> Compute() => document;
        ReadOnlyMemory<byte> unsent = default;
        EventLoopRegistration? registration = null;
        registration = loop.Register(
            connection.SafeHandle,
            EventLoopInterest.None,
            (_, _) =>
            {
                unsent = unsent[(int)registration!.Write(unsent.Span).Count..];
                registration.Interest = unsent.IsEmpty ? EventLoopInterest.None : EventLoopInterest.Write;
            },
            null);

        await workers.Run(() =>
        {
            ReadOnlyMemory<byte> answer = Compute();
            EventLoopIOResult sent = registration.Write(answer.Span);   // here, on the worker; allocates nothing
            if (sent.Count < answer.Length && !sent.IsDisconnected)
            {
                unsent = answer[(int)sent.Count..];
                registration.Interest |= EventLoopInterest.Write;       // the handler sends the rest
            }
        });

        await Deadline.For(new NetworkStream(client).ReadExactlyAsync(new byte[document.Length]).AsTask());
        await registration.DisposeAsync();
        connection.Dispose();
        client.Dispose();
    }

    [Fact]
    public async Task Offloading()
    {
        await using var loop = new EventLoop();
        byte[] document = new byte[100_000];
        var job = new Job();

        await using var workers = new NativeThreadPool(new NativeThreadPoolOptions { Name = "workers", MaxThreads = 2 });
        await loop.InvokeAsync(async () =>
        {
            byte[] digest = await loop.OffloadAsync(workers, () => SHA256.HashData(document));   // on a worker
            Debug.Assert(loop.IsInLoop && digest.Length == 32);                                  // on the loop again
        });

        loop.Offload(workers, static job => ((Job)job!).Compute(), static job => ((Job)job!).Reply(), job);

        Assert.Equal((workers, loop), await Deadline.For(job.Done.Task));
    }

    [Fact]
    public async Task Groups()
    {
        await using var loops = new EventLoopGroup(2, new EventLoopOptions { Name = "io" });  // io-0, io-1; by default one per processor
        EventLoop own = loops.Next();                                                         // in turn

        Assert.Equal(["io-0", "io-1"], loops.Loops.Select(loop => loop.Name));
        Assert.Same(loops.Loops[0], own);
    }

    [Fact]
    public async Task Exceptions()
    {
        var options = new EventLoopOptions
        {
            Name = "tenants",
            UnhandledException = exception =>
            {
                Console.Error.WriteLine($"{EventLoop.Current}: {exception}");
                return true; // handled: the loop continues with the next callback
            },
        };

        await using var loop = new EventLoop(options);
        loop.Post(static _ => throw new InvalidTimeZoneException("on purpose, by a test"), null);
        Assert.Equal(1, await Deadline.For(loop.InvokeAsync(() => 1)));
    }

    [Fact]
    public async Task Shutdown()
    {
        await using var loop = new EventLoop();
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(5));
        long dropped = await loop.ShutdownAsync(patience.Token);

        Assert.Equal(0, dropped);
    }

    private sealed class Session
    {
        private int _times;

        public TaskCompletionSource ExpiredOften { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Expire()
        {
            if (++_times == 3)
            {
                ExpiredOften.SetResult();
            }
        }
    }

    private sealed class Job
    {
        private NativeThreadPool? _pool;

        public TaskCompletionSource<(NativeThreadPool?, EventLoop?)> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Compute() => _pool = NativeThreadPool.Current;

        public void Reply() => Done.SetResult((_pool, EventLoop.Current));
    }

    private static async Task<(Socket Here, Socket There)> ConnectedAsync()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var there = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await there.ConnectAsync(listener.LocalEndPoint!);
        Socket here = await listener.AcceptAsync();
        here.Blocking = false;
        return (here, there);
    }

    sealed class Echo
    {
        private readonly Socket _connection;
        private readonly EventLoopRegistration _registration;
        private readonly byte[] _buffer = new byte[16 * 1024];
        private ReadOnlyMemory<byte> _unsent;

        public Echo(EventLoop loop, Socket connection)
        {
            _connection = connection;
            _registration = loop.Register(
                connection.SafeHandle, EventLoopInterest.Read, static (_, echo) => ((Echo)echo!).OnReady(), this);
        }

        private void OnReady()
        {
            try
            {
                if (_unsent.IsEmpty)
                {
                    EventLoopIOResult read = _registration.Read(_buffer);
                    read.ThrowIfFailed();
                    if (read.WouldBlock)
                    {
                        return;
                    }

                    if (read.Count == 0)
                    {
                        Close(); // the peer writes no more
                        return;
                    }

                    _unsent = _buffer.AsMemory(0, (int)read.Count);
                }

                EventLoopIOResult written = _registration.Write(_unsent.Span);
                written.ThrowIfFailed();
                _unsent = _unsent[(int)written.Count..];
                EventLoopInterest next = _unsent.IsEmpty ? EventLoopInterest.Read : EventLoopInterest.Write;
                if (_registration.Interest != next)
                {
                    _registration.Interest = next;
                }
            }
            catch (IOException)
            {
                Close(); // reset
            }
        }

        private void Close()
        {
            _registration.Dispose(); // before the socket
            _connection.Dispose();
        }
    }
}
