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
