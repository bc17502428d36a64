using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.AspNetCore.SignalR;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Hubs;

/// <summary>What the hub of a test notes, and what it waits for.</summary>
public sealed class HubRecord
{
    public ConcurrentQueue<string> Notes { get; } = new();

    public TaskCompletionSource Disconnected { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource Release { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public SemaphoreSlim Started { get; } = new(0);
}

/// <summary>A hub that says where it runs.</summary>
public class PlaceHub(HubRecord record) : Hub
{
    public override async Task OnConnectedAsync()
    {
        record.Notes.Enqueue($"connected {Where.AmI}");
        await Task.Yield();
        record.Notes.Enqueue($"connected {Where.AmI}");
    }

    public override async Task OnDisconnectedAsync(Exception? exception)
    {
        record.Notes.Enqueue($"disconnected {Where.AmI}");
        await Task.Yield();
        record.Notes.Enqueue($"disconnected {Where.AmI}");
        record.Disconnected.TrySetResult();
    }

    public string Place() => Where.AmI;

    public async Task<string> Places()
    {
        string before = Where.AmI;
        await Task.Yield();
        return $"{before} {Where.AmI}";
    }

    public async Task<int> Slow(int number)
    {
        record.Notes.Enqueue($"begin {number}");
        record.Started.Release();
        await record.Release.Task;
        await Task.Yield();
        record.Notes.Enqueue($"end {number}");
        return number;
    }

    public string Throw() => throw new HubException("as thrown");

    public async IAsyncEnumerable<string> Iterate(int count, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        try
        {
            for (int i = 0; i < count; i++)
            {
                yield return Where.AmI;
                await Task.Delay(1, cancellationToken);
                yield return Where.AmI;
            }
        }
        finally
        {
            record.Notes.Enqueue($"stream {Where.AmI}");
        }
    }

    public Task<IAsyncEnumerable<string>> IterateLater(int count, CancellationToken cancellationToken) =>
        Task.FromResult(Iterate(count, cancellationToken));

    public async IAsyncEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return NativeThreadPool.Current is null ? -1 : i;
        }
    }

    public ChannelReader<string> Channel(int count)
    {
        var channel = System.Threading.Channels.Channel.CreateUnbounded<string>();
        _ = WriteAsync();
        return channel.Reader;

        async Task WriteAsync()
        {
            for (int i = 0; i < count; i++)
            {
                await Elsewhere.CompleteAsync();
                channel.Writer.TryWrite(Where.AmI);
            }

            channel.Writer.Complete();
        }
    }

    public async Task<string> Upload(IAsyncEnumerable<int> numbers)
    {
        int sum = 0;
        await foreach (int number in numbers)
        {
            sum += number;
        }

        return $"{sum} {Where.AmI}";
    }

    [RunOnNativeThreadPool("other")]
    public string OfItsOwn() => Where.AmI;
}

[RunOnNativeThreadPool("reports")]
public sealed class MarkedHub(HubRecord record) : PlaceHub(record);

public sealed class LostMethodHub : Hub
{
    [RunOnNativeThreadPool("nowhere")]
    public void Lost()
    {
    }
}
