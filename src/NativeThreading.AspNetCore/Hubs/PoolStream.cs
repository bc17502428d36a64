namespace NativeThreading.AspNetCore;

/// <summary>A stream whose items are made on a pool. SignalR asks for each on the runtime's, and an async iterator runs where it is asked.</summary>
internal sealed class PoolStream<T>(NativeThreadPool pool, IAsyncEnumerable<T> stream) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new Enumerator(pool, stream.GetAsyncEnumerator(cancellationToken));

    // What goes on with a call that has begun is never refused: it needs no permit.
    private sealed class Enumerator(NativeThreadPool pool, IAsyncEnumerator<T> items) : IAsyncEnumerator<T>
    {
        public T Current => items.Current;

        public async ValueTask<bool> MoveNextAsync()
        {
            await pool.SwitchTo();
            return await items.MoveNextAsync().ConfigureAwait(true);
        }

        public async ValueTask DisposeAsync()
        {
            await pool.SwitchTo();
            await items.DisposeAsync().ConfigureAwait(true);
        }
    }
}
