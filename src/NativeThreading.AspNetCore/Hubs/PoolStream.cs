namespace NativeThreading.AspNetCore;

/// <summary>
/// A stream whose items are made on a pool. SignalR asks for each of them on the built-in pool, and an async iterator runs where it is asked. The
/// stream continues a call that has started. So it enters through the pool's context, which needs no permit, and a rescue thread may run it.
/// </summary>
internal sealed class PoolStream<T>(SynchronizationContext pool, IAsyncEnumerable<T> stream) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new Enumerator(pool, stream.GetAsyncEnumerator(cancellationToken));

    private sealed class Enumerator(SynchronizationContext pool, IAsyncEnumerator<T> items) : IAsyncEnumerator<T>
    {
        public T Current => items.Current;

        public async ValueTask<bool> MoveNextAsync()
        {
            await new SwitchToAwaitable(pool);
            return await items.MoveNextAsync().ConfigureAwait(true);
        }

        public async ValueTask DisposeAsync()
        {
            await new SwitchToAwaitable(pool);
            await items.DisposeAsync().ConfigureAwait(true);
        }
    }
}
