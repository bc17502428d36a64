using System.Globalization;
using System.Text;

namespace NativeThreading.AspNetCore.Tests.Transport.Support;

/// <summary>A response as it came, its body without framing.</summary>
/// <param name="Head">Status line and headers.</param>
internal sealed record RawResponse(string Head, byte[] Body)
{
    public int Status => int.Parse(Head.AsSpan("HTTP/1.1 ".Length, 3), CultureInfo.InvariantCulture);

    public string Text => Encoding.UTF8.GetString(Body);

    public string? Header(string name) => Head.Split("\r\n")
        .Where(line => line.StartsWith($"{name}:", StringComparison.OrdinalIgnoreCase))
        .Select(line => line[(name.Length + 1)..].Trim())
        .SingleOrDefault();
}
