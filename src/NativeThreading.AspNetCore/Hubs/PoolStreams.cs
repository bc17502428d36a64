using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace NativeThreading.AspNetCore;

/// <summary>Finds streams among the results of hub methods. The type of their items is known only at run time.</summary>
internal abstract class PoolStreams
{
    private static readonly ConcurrentDictionary<MethodInfo, PoolStreams?> s_ofMethods = new();

    /// <summary>The result itself, or for a stream one whose items are made on the pool with this context.</summary>
    public static object? OnPool(SynchronizationContext pool, MethodInfo method, object? result) =>
        result is null ? null : s_ofMethods.GetOrAdd(method, static method => For(method.ReturnType))?.OnPool(pool, result) ?? result;

    protected abstract object? OnPool(SynchronizationContext pool, object result);

    /// <summary>Decides by the declared type, as SignalR does: an object may be a stream of several types.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "SignalR looks for the same interface, and keeps it.")]
    [UnconditionalSuppressMessage("Trimming", "IL2055", Justification = "The parameter asks for nothing.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Without dynamic code only for reference types, which share one instance.")]
    private static PoolStreams? For(Type type)
    {
        if (type.IsGenericType && (type.GetGenericTypeDefinition() == typeof(Task<>) || type.GetGenericTypeDefinition() == typeof(ValueTask<>)))
        {
            type = type.GenericTypeArguments[0];
        }

        Type? item = type.GetInterfaces().Prepend(type)
            .FirstOrDefault(static type => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>))?
            .GenericTypeArguments[0];
        return item is null || (item.IsValueType && !RuntimeFeature.IsDynamicCodeSupported)
            ? null
            : (PoolStreams)Activator.CreateInstance(typeof(Of<>).MakeGenericType(item))!;
    }

    private sealed class Of<T> : PoolStreams
    {
        protected override object? OnPool(SynchronizationContext pool, object result) =>
            result is IAsyncEnumerable<T> stream ? new PoolStream<T>(pool, stream) : null;
    }
}

/// <summary>A stream whose items are made on a pool. SignalR asks for each of them on the built-in pool, and an async iterator runs where it is
/// asked. The stream continues a call that has started. So it enters through the pool's context, which needs no permit, and a rescue thread may run
/// it.</summary>
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
