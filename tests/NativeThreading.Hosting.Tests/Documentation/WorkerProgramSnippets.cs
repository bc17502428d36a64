using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NativeThreading;

namespace NativeThreading.Hosting.Tests.Documentation;

/// <summary>The inbox and the orders of docs/start/tutorial-worker.md, with which the program of that page runs.</summary>
public sealed class WorkerProgramSnippets
{
    [Fact]
    public async Task TheProgramImportsOrdersOnItsPool()
    {
        await using var pool = new NativeThreadPool(new NativeThreadPoolOptions { Name = "import" });
        using var enough = new CancellationTokenSource(Deadline.Time);
        var imported = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await foreach (Order order in new Inbox().ReadAsync(enough.Token))
        {
            await pool.QueueAsync(state => imported.TrySetResult(Thread.CurrentThread.Name), order, enough.Token);
            await order.ConfirmAsync();
            break;
        }

        Assert.Equal("import-worker-0", await Deadline.For(imported.Task));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => new Order(1).ImportAsync(new CancellationToken(true)));
    }

    public interface IInbox
    {
        IAsyncEnumerable<Order> ReadAsync(CancellationToken cancellationToken);
    }

    public sealed class Inbox : IInbox
    {
        public async IAsyncEnumerable<Order> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
        {
            for (int number = 0; ; number++)
            {
                await Task.Delay(100, cancellationToken);
                yield return new Order(number);
            }
        }
    }

    public sealed record Order(int Number)
    {
        public void Import()
        {
            Thread.Sleep(1_000);                            // a driver without asynchronous calls
            Console.WriteLine($"order {Number} imported on {Thread.CurrentThread.Name}");
        }

        public Task ImportAsync(CancellationToken cancellationToken) => Task.Delay(1_000, cancellationToken);

        public Task ConfirmAsync() => Task.CompletedTask;
    }
}
