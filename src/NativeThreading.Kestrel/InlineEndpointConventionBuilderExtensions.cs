using NativeThreading.Kestrel;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Keeps the requests of endpoints on the loops of the native transport.</summary>
/// <example>
/// <code>
/// app.MapGet("/health", () =&gt; "ok").Inline();
/// </code>
/// </example>
public static class InlineEndpointConventionBuilderExtensions
{
    private static readonly InlineAttribute s_metadata = new();

    /// <summary>On the native transport, runs these endpoints on the loops of their connections, always: <c>app.MapGet("/version", ...).Inline()</c>.
    /// On
    /// other transports it changes nothing.</summary>
    /// <param name="builder">The endpoints.</param>
    /// <typeparam name="TBuilder">The type of the builder.</typeparam>
    /// <returns><paramref name="builder"/>.</returns>
    /// <remarks><inheritdoc cref="InlineAttribute" path="/remarks"/></remarks>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static TBuilder Inline<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Add(static endpoint => endpoint.Metadata.Add(s_metadata));
        return builder;
    }
}
