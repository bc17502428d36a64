using System.Reflection;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc.Controllers;

namespace NativeThreading.AspNetCore;

/// <summary>The method that a user wrote for an endpoint: what an observer is to name.</summary>
internal static class EndpointMethod
{
    /// <summary>A handler of minimal APIs or an action of a controller; <see langword="null"/> where the endpoint does not tell.</summary>
    public static MethodInfo? Of(HttpContext context) =>
        context.GetEndpoint()?.Metadata is { } metadata
            ? metadata.GetMetadata<ControllerActionDescriptor>()?.MethodInfo ?? metadata.GetMetadata<MethodInfo>()
            : null;
}
