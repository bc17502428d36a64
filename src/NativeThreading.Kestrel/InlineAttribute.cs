namespace NativeThreading.Kestrel;

/// <summary>On the native transport, runs an action, a controller's actions or a route handler where its connection runs, always:
/// <c>[Inline]</c>.</summary>
/// <remarks>For <see cref="NativeTransportRequests.Adaptive"/>, which otherwise begins each endpoint on a pool and sends those back that block or
/// compute. Here nothing is learned: the promise that the handler is short is the application's. One that blocks is relieved as any code on a loop;
/// one that computes holds up all connections of its loop. <c>RunOnNativeThreadPool</c> goes before it.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class InlineAttribute : Attribute;
